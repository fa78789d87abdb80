"""What the native core is besides quick: optional, quiet where someone listens, and tidy."""

from __future__ import annotations

import copy
import functools
import gc
import inspect
import pickle
import sys
import threading
import weakref
from typing import Any

import children
import numpy as np
import pytest
from native.twins import needs_core

import onebuf
from onebuf import Buffer
from onebuf.memory import POOL
from onebuf.native import core


def test_without_the_core_everything_is_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONEBUF_PURE", "1")
    found = children.run(
        """
        import onebuf
        from onebuf.native import core
        x = onebuf.arange(3.0) + 1
        print(core is None, x.sum().item(), type(onebuf.exp).__name__)
        """
    )
    assert found.split() == ["True", "6.0", "function"]


@needs_core
def test_an_operation_that_is_listened_to_is_told() -> None:
    x = onebuf.arange(4.0)
    with onebuf.counters() as counted:
        x + x
        x[1] = 3.0
    assert counted.kernels == 2


@needs_core
def test_options_of_one_context_hold_there_alone() -> None:
    x = onebuf.arange(4.0)
    with onebuf.config(eager_numel=0):
        assert not (x + x).is_realized
        found: list[bool] = []
        thread = threading.Thread(target=lambda: found.append((x + x).is_realized))
        thread.start()
        thread.join()
        assert found == [True]
    assert (x + x).is_realized


@needs_core
def test_options_hold_in_a_context_that_outlives_their_block() -> None:
    import contextvars

    x = onebuf.arange(4.0)
    with onebuf.config(eager_numel=0):
        context = contextvars.copy_context()
    assert not context.run(lambda: (x + x).is_realized)


@needs_core
def test_a_write_waits_for_pending_readers() -> None:
    x = onebuf.arange(4.0)
    with onebuf.config(eager_numel=0):
        double = x * 2
    x[0] = 5.0
    x += 1
    assert double.tolist() == [0, 2, 4, 6]


@needs_core
def test_a_function_has_the_name_text_and_signature_of_its_twin() -> None:
    assert onebuf.exp.__name__ == "exp"
    assert list(inspect.signature(Buffer.sum).parameters)[:2] == ["self", "axis"]
    assert pickle.loads(pickle.dumps(onebuf.exp)) is onebuf.exp
    assert copy.deepcopy(onebuf.add) is onebuf.add
    assert onebuf.add.reduce(onebuf.arange(4)).item() == 6
    wrapped = functools.wraps(onebuf.add)(lambda *args: onebuf.add(*args))
    assert wrapped.nin == 2
    assert wrapped.__wrapped__ is onebuf.add
    bound = onebuf.arange(4).sum
    assert bound().item() == 6
    assert weakref.ref(onebuf.exp)() is onebuf.exp


@needs_core
def test_nodes_and_buffers_can_be_referred_to_weakly() -> None:
    x = onebuf.arange(4) + 1
    to_buffer, to_node = weakref.ref(x), weakref.ref(x._node)
    assert to_buffer() is x
    del x
    assert to_buffer() is None
    assert to_node() is None


@needs_core
def test_memory_of_garbage_in_a_cycle_goes_back_once() -> None:
    class Holder(Buffer):
        __slots__ = ("me",)

    gc.collect()
    before = POOL.stats().in_use
    for _ in range(50):
        holder = Holder(np.ones(100), copy=True)
        holder.me = (holder, onebuf.ones(100) + 1)
        del holder
    gc.collect()
    assert POOL.stats().in_use <= before + 4096
    buffers = [onebuf.ones(100) + n for n in range(200)]
    assert [b[0].item() for b in buffers] == [n + 1.0 for n in range(200)]  # no memory twice


@needs_core
def test_an_interrupt_in_python_code_below_is_not_swallowed(monkeypatch: Any) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    core.set_memory(interrupted, interrupted, POOL.give_back)
    try:
        x = Buffer(np.ones((3, 1, 1, 2, 1, 7)), copy=True)
        with pytest.raises(KeyboardInterrupt):
            x + 1
    finally:
        core.set_memory(POOL.shelves.shelf, POOL.cell, POOL.give_back)
    assert (x + 1).sum().item() == 84


@needs_core
def test_a_subclass_of_an_operand_keeps_pythons_rules() -> None:
    class Loud(Buffer):
        __slots__ = ()

        def __radd__(self, other: Any) -> Any:
            return "mine"

    assert (onebuf.arange(3) + Loud(np.arange(3))) == "mine"
    assert type(Loud(np.arange(3)) * 2) is Loud


def test_elements_cannot_be_deleted() -> None:
    with pytest.raises(TypeError, match=r"onebuf\.delete"):
        del onebuf.arange(3)[0]


@needs_core
def test_ten_million_operations_leave_memory_where_it_was() -> None:
    found = children.run(
        """
        import gc, resource, onebuf
        x, m = onebuf.arange(16.0), onebuf.ones((4, 4))

        def work(n):
            global x
            for _ in range(n):
                y = x + 1; y = y * x; z = y < x; v = y[2:7]; v = v + 1.0; y[3] = 2.0; w = y[3] + 1
                x += 0.0; m @ m; y.sum(); y.exp(); y.reshape(4, 4).T; onebuf.minimum(x, y)
                bool(y[0] > 1); onebuf.where(z, x, y); onebuf.zeros(3); onebuf.concat([x, y])

        def few(n):
            for _ in range(n):
                y = x + 1; y = y * x; y += 1.0; y[2] = y[1]; x[2:7] < 3.0; y.T; -y; y.sum(); y.max()

        def grown():
            gc.collect()
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

        work(5_000)
        few(100_000)
        before = grown()
        work(10_000)
        few(1_000_000)
        print(grown() - before)
        """,
        timeout=240,
    )
    assert int(found) < 2048  # kilobytes, after ten million operations


CALLS = """
import gc, sys
import numpy as np, onebuf
from onebuf import Buffer

x = onebuf.arange(16.0)
y = x + 1
m = onebuf.ones((4, 4))
z = x < y
k = onebuf.asarray(np.array([2, 0, 5]))
array = np.arange(8.0)
large = (onebuf.ones(40_000) + onebuf.arange(40_000)).realize()
late = large * 2
chain = onebuf.jit(lambda x, y: (x * y + 1) * 2)
parts = onebuf.jit(lambda x, n: onebuf.cumsum(x * n, axis=0)[::2] + x[0])
CALLS = {
    "jit": lambda: chain(x, y), "jit by name": lambda: chain(y=x, x=y),
    "jit of parts": lambda: parts(x, y[1]), "jit of much": lambda: chain(large, large)[:9],
    "pending": lambda: (large + large).realize(), "pending number": lambda: (3 - large).realize(),
    "pending one": lambda: (-late)[:9].realize(), "chain": lambda: ((large + 1) * late).sum(),
    "found": lambda: [large - late, large - late][1][:5],
    "readers": lambda: [large + n for n in range(9)][2][3],
    "add": lambda: x + y, "scalar": lambda: x * 2, "broadcast": lambda: m + m[0], "neg": lambda: -x,
    "slice": lambda: x[2:5], "element": lambda: x[3], "matmul": lambda: m @ m, "T": lambda: m.T,
    "sum": lambda: x.sum(), "rows": lambda: m.sum(axis=1), "argmax": lambda: x.argmax(),
    "reshape": lambda: x.reshape(4, 4), "exp": lambda: x.exp(), "mean": lambda: x.mean(),
    "where": lambda: onebuf.where(z, x, y), "zeros": lambda: onebuf.zeros((3, 5)),
    "arange": lambda: onebuf.arange(9), "eye": lambda: onebuf.eye(3), "mixed": lambda: x + z,
    "concat": lambda: onebuf.concat([x, y]), "asarray": lambda: onebuf.asarray(array),
    "in place": lambda: x.__iadd__(0.0), "write": lambda: x.__setitem__(3, 3.0),
    "write a view": lambda: x.__setitem__(slice(1, 3), y[0:2]), "iterate": lambda: list(x),
    "float": lambda: float(x[2]), "bool": lambda: bool(x[1] > 0), "number": lambda: x[1] * x[2] + 1,
    "std": lambda: x.std(), "var": lambda: m.var(axis=0),
    "columns": lambda: m.sum(0, keepdims=True),
    "roll": lambda: onebuf.roll(m, 1, axis=0), "clip": lambda: onebuf.clip(x, 1.0, 5.0),
    "copy": lambda: x.copy(), "astype": lambda: x.astype("int32"),
    "stack": lambda: onebuf.stack([x, y]),
    "cumsum": lambda: x.cumsum(), "flatten": lambda: m.T.flatten(), "list": lambda: x.tolist(),
    "full": lambda: onebuf.full((2, 3), 1.5), "range": lambda: onebuf.arange(0.0, 1.0, 0.25),
    "pick": lambda: x[k], "mask": lambda: x[z], "put": lambda: y.copy().__setitem__(k, 3.0),
    "turned": lambda: onebuf.sqrt(m.T), "sort": lambda: onebuf.sort(x),
    "unique": lambda: onebuf.unique(k), "view of view": lambda: x[1:][1:],
    "window": lambda: np.asarray(x).tolist(), "new window": lambda: np.asarray(x + 1).tolist(),
    "window of a view": lambda: x[::-2].__array__().tolist(), "memory": lambda: bytes(m[1]),
    "solve": lambda: onebuf.linalg.solve(m + onebuf.eye(4), m[0]),
}

def value(result):
    if isinstance(result, list):
        return [value(part) for part in result]
    return np.asarray(result).tolist() if isinstance(result, Buffer) else result

for _ in range(130):
    for call in CALLS.values():
        call()
expected = {name: value(call()) for name, call in CALLS.items()}
"""


@needs_core
@pytest.mark.skipif(
    sys.version_info >= (3, 12),
    reason="CPython 3.12 and 3.13 free code that is in use if there is no memory for its frame",
)
def test_no_allocation_that_fails_is_a_crash_or_a_wrong_value() -> None:
    pytest.importorskip("_testcapi", reason="needs CPython's test module, which can deny memory")
    program = (
        CALLS
        + """
import _testcapi

sys.unraisablehook = lambda _: None  # finalisers of Python that are denied memory
for name, call in CALLS.items():
    for n in range(1, 40):
        gc.disable()
        _testcapi.set_nomemory(n, n + 1)
        try:
            result = call()
        except MemoryError:
            result = None
        finally:
            _testcapi.remove_mem_hooks()
            gc.enable()
        assert result is None or value(result) == expected[name], (name, n)
        assert value(call()) == expected[name], name
"""
    )
    assert children.run(program, timeout=120) == ""


@needs_core
@pytest.mark.parametrize("allocator", ["debug", "malloc_debug"])
def test_a_debug_allocator_finds_nothing(allocator: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONMALLOC", allocator)
    monkeypatch.setenv("PYTHONDEVMODE", "1")
    program = CALLS + "for call in 50 * list(CALLS.values()):\n    call()\ngc.collect()\n"
    assert children.run(program, timeout=120) == ""
