"""``tinygrad.helpers``, as far as there is something of the kind here."""

from onebuf.compat.tinygrad.counters import GlobalCounters
from onebuf.compat.tinygrad.memory_views import flat_mv, from_mv, mv_address, to_mv
from onebuf.compat.tinygrad.profile import Profiling
from onebuf.compat.tinygrad.progress import tqdm, trange
from onebuf.compat.tinygrad.training import Context

__all__ = [
    "Context",
    "GlobalCounters",
    "Profiling",
    "flat_mv",
    "from_mv",
    "mv_address",
    "to_mv",
    "tqdm",
    "trange",
]
