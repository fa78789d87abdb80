"""Text and archives in NumPy's formats; `onebuf.save` and `onebuf.open` are for everything else."""

from __future__ import annotations

from typing import Any

import numpy as np

from onebuf.array_api.arguments import public
from onebuf.buffer import Buffer
from onebuf.buffer.numpy_calls import Call
from onebuf.numpy_api.delegation import delegated


@public
def load(
    file: Any,
    mmap_mode: Any = None,
    allow_pickle: bool = False,
    fix_imports: bool = True,
    encoding: str = "ASCII",
    **kwargs: Any,
) -> Any:
    """The buffer in a .npy file, or those of an .npz archive by name."""
    named: dict[str, Any] = {
        "allow_pickle": allow_pickle,
        "fix_imports": fix_imports,
        "encoding": encoding,
    }
    found = np.load(file, mmap_mode, **named, **kwargs)
    return (
        NpzArchive(found) if isinstance(found, np.lib.npyio.NpzFile) else Call(Buffer).take(found)
    )


class NpzArchive:
    """The buffers of an .npz archive by name, each read when it is asked for."""

    def __init__(self, theirs: Any) -> None:
        self._theirs = theirs
        self.files: list[str] = theirs.files

    def __getitem__(self, name: str) -> Any:
        return Call(Buffer).take(self._theirs[name])

    def __iter__(self) -> Any:
        return iter(self._theirs)

    def __len__(self) -> int:
        return len(self._theirs)

    def __contains__(self, name: object) -> bool:
        return name in self._theirs

    def keys(self) -> Any:
        """The names."""
        return self._theirs.keys()

    def close(self) -> None:
        """Close the file."""
        self._theirs.close()

    def __enter__(self) -> NpzArchive:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


savetxt = delegated(np.savetxt)
savez = delegated(np.savez)
savez_compressed = delegated(np.savez_compressed)
memmap = np.memmap
