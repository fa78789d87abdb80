"""Memory: blocks with owners, the pool they come from, and files mapped as blocks."""

from onebuf.memory.address import address_of, address_of_bytes
from onebuf.memory.block import Block, is_writable
from onebuf.memory.cells import Cell
from onebuf.memory.mapped_file import FileBlock, Mode, check_mode, map_file
from onebuf.memory.pool import (
    ALIGNMENT,
    POOL,
    Pool,
    PoolBlock,
    PoolStats,
    most_nbytes,
    size_class,
)
from onebuf.memory.territory import (
    MEMORY,
    Neighbours,
    Territory,
    file_territory,
    neighbours,
)

# fmt: off
__all__ = [
    "ALIGNMENT", "MEMORY", "POOL", "Block", "Cell", "FileBlock", "Mode", "Neighbours", "Pool",
    "PoolBlock", "PoolStats", "Territory", "address_of", "address_of_bytes", "check_mode",
    "file_territory", "is_writable", "map_file", "most_nbytes", "neighbours", "size_class",
]
