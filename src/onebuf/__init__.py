"""onebuf: one buffer for all memory."""
from onebuf.buffer import Buffer
from onebuf.dtypes import DType
