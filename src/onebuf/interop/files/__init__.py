"""Files: .npy, .npz, .safetensors and raw files as mapped memory, zarr stores by region."""

from onebuf.interop.files.dispatch import open_file, save_file
from onebuf.interop.files.formats import format_of_existing
from onebuf.interop.files.npy import open_npy, read_npy, write_npy
from onebuf.interop.files.npz import NpzFile, is_npz, open_npz, write_npz
from onebuf.interop.files.raw_format import open_raw
from onebuf.interop.files.safetensors import SafetensorsFile, open_safetensors
from onebuf.interop.held import Held, Source

# fmt: off
__all__ = [
    "Held", "NpzFile", "SafetensorsFile", "Source", "format_of_existing", "is_npz", "open_file",
    "open_npy", "open_npz", "open_raw", "open_safetensors", "read_npy", "save_file", "write_npy",
    "write_npz",
]
