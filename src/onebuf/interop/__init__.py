"""Interop: memory exchanged with other libraries, never copied where it can be shared."""

from onebuf.interop.buffer_slot import Exporter
from onebuf.interop.dlpack import DEVICE, export
from onebuf.interop.foreign import view_foreign
from onebuf.interop.held import Source
from onebuf.interop.window import Window, exported, memoryview_of

# fmt: off
__all__ = [
    "DEVICE", "Exporter", "Source", "Window", "export", "exported", "memoryview_of", "view_foreign",
]
