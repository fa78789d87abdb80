"""Interop: memory exchanged with other libraries, never copied where it can be shared."""

from typing import TYPE_CHECKING, Any

from onebuf.interop.buffer_slot import Exporter
from onebuf.late import load

if TYPE_CHECKING:
    from onebuf.interop.dlpack import DEVICE, export
    from onebuf.interop.foreign import view_foreign
    from onebuf.interop.held import Source
    from onebuf.interop.window import Window, exported, memoryview_of

_LATER = {
    **dict.fromkeys(("DEVICE", "export"), "onebuf.interop.dlpack"),
    "view_foreign": "onebuf.interop.foreign",
    "Source": "onebuf.interop.held",
    **dict.fromkeys(("Window", "exported", "memoryview_of"), "onebuf.interop.window"),
}
"""What is needed when memory is exchanged, by the module that has it."""


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(load(_LATER[name]), name)
    return value


# fmt: off
__all__ = [
    "DEVICE", "Exporter", "Source", "Window", "export", "exported", "memoryview_of", "view_foreign",
]
