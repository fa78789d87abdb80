"""Cells whose blocks were made: they go back to their shelves when nothing holds the blocks.

Each program has a process of its own, where shelves are not taken by other tests.
"""

from __future__ import annotations

import children

START = """
import gc
import numpy as np
import onebuf
from onebuf import Buffer
from onebuf.memory import POOL

def is_shelved(cell):
    return any(cell is cell.shelf[place] for place in range(len(cell.shelf)))

def made(*shape):
    return Buffer.zeros(shape, "int16") + 1
"""


def run(program: str) -> None:
    assert children.run(START + program) == ""


def test_a_cell_goes_back_when_the_last_view_is_gone() -> None:
    run("""
x = made(7, 11)
cell = x._node._cell
view = x[1:]
assert x._node.block is view._node.block
del x
gc.collect()
assert not is_shelved(cell)
del view
gc.collect()
assert is_shelved(cell)
""")


def test_a_cell_is_on_no_shelf_while_there_is_a_window_on_it() -> None:
    run("""
x = made(5, 13)
cell = x._node._cell
window = np.asarray(x)
del x
gc.collect()
assert not is_shelved(cell)
assert window.sum() == 65
del window
gc.collect()
assert is_shelved(cell)
""")


def test_bytes_in_use_are_the_same_after_cells_became_blocks_and_came_back() -> None:
    run("""
gc.collect()
before = POOL.stats().in_use
for _ in range(3):
    results = [made(3, 17) for _ in range(300)]
    views = [x[1:] for x in results]
    assert POOL.stats().in_use >= before + 300 * 64
    del results, views
gc.collect()
assert POOL.stats().in_use == before
""")


def test_shelves_of_small_cells_hold_as_many_as_a_program_may_keep() -> None:
    run("""
results = [made(64) for _ in range(400)]
cells = {id(x._node._cell.array) for x in results}
del results
again = [made(64) for _ in range(400)]
assert len(cells & {id(x._node._cell.array) for x in again}) >= 399  # one was in between
""")
