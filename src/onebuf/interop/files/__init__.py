"""Files: .npy, .safetensors and raw files as mapped memory, zarr stores region by region."""

from onebuf.interop.files.npy import open_npy
from onebuf.interop.files.opening import open_file
from onebuf.interop.files.raw import open_raw
from onebuf.interop.files.safetensors import SafetensorsFile, open_safetensors
from onebuf.interop.files.saving import save_file
from onebuf.interop.held import Held, Opened, Source

__all__ = [
    "Held",
    "Opened",
    "SafetensorsFile",
    "Source",
    "open_file",
    "open_npy",
    "open_raw",
    "open_safetensors",
    "save_file",
]
