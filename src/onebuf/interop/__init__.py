"""Interop: memory exchanged with other libraries, never copied where it can be shared."""

from onebuf.interop.buffer_slot import Exporter
from onebuf.interop.dlpack import DEVICE, aligned_copy, export
from onebuf.interop.foreign import Foreign, view_foreign
from onebuf.interop.held import Held, Opened, Source
from onebuf.interop.window import Window, exported, memoryview_of

__all__ = [
    "DEVICE",
    "Exporter",
    "Foreign",
    "Held",
    "Opened",
    "Source",
    "Window",
    "aligned_copy",
    "export",
    "exported",
    "memoryview_of",
    "view_foreign",
]
