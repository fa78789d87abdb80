"""Interop: memory exchanged with other libraries, never copied where it can be shared."""

from onebuf.interop.dlpack import DEVICE, aligned_copy, export
from onebuf.interop.foreign import Foreign, view_foreign
from onebuf.interop.held import Held, Opened, Source
from onebuf.interop.window import Window, memoryview_of

__all__ = [
    "DEVICE",
    "Foreign",
    "Held",
    "Opened",
    "Source",
    "Window",
    "aligned_copy",
    "export",
    "memoryview_of",
    "view_foreign",
]
