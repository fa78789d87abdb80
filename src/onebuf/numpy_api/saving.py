"""Text files, and memory maps of NumPy's; `onebuf.open` maps files for buffers."""

from __future__ import annotations

import numpy as np

from onebuf.numpy_api.delegation import delegated

memmap = np.memmap
savetxt = delegated(np.savetxt)
