"""OpenCL on PoCL, with two devices where there is one processor."""

from __future__ import annotations

import os

os.environ.setdefault("POCL_DEVICES", "pthread pthread")
