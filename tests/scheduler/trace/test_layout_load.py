"""A layout is one hook: kernels, NumPy's loops and devices read through layouts of these tests."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sample_layouts import Antisymmetric, Hermitian, Indexed, Packed, Tiled

import onebuf
from onebuf import Buffer, config
from onebuf.engine import read
from onebuf.graph import VIEW, Node, make
from onebuf.layout import IndexMap

Array = np.ndarray[Any, Any]
N = 7
LOWER = np.tril_indices(N)
BELOW = np.tril_indices(N, -1)


def seen(layout: IndexMap, stored: Any, *tables: Any, device: str = "CPU") -> Buffer:
    """A buffer that sees ``stored`` through ``layout``."""
    nodes: list[Node] = []
    for array in (stored, *tables):
        buffer = onebuf.asarray(array, device=device)
        nodes.append(buffer._node)
    made = Buffer.__new__(Buffer)
    made._node = make(VIEW, tuple(nodes), layout, layout.shape, nodes[0].dtype)
    made._base = None
    return made


def elements(buffer: Any) -> Array:
    """What ``buffer`` holds, on whichever device."""
    return read(buffer._node)


def symmetric(stored: Array) -> Array:
    whole = np.zeros((N, N), stored.dtype)
    whole[LOWER] = stored
    whole.T[LOWER] = stored
    return whole


def antisymmetric(stored: Array) -> Array:
    whole = np.zeros((N, N), stored.dtype)
    whole[BELOW] = stored
    return whole - whole.T


def tiled(stored: Array) -> Array:
    return stored.reshape(2, 3, 4, 4).swapaxes(1, 2).reshape(8, 12)


TABLE = np.array([3, -1, 0, 0, 4, -1, 2, 1, 3])
SQUARE = np.linspace(-1, 2, N * N).reshape(N, N)


def cases() -> dict[str, tuple[IndexMap, Array, tuple[Array, ...], Array]]:
    packed = np.linspace(-2, 3, len(LOWER[0]))
    signed = np.linspace(-2, 3, len(BELOW[0])).astype(np.float32)
    complexes = packed + 1j * packed[::-1]
    whole = symmetric(complexes)
    whole[np.triu_indices(N, 1)] = whole[np.triu_indices(N, 1)].conj()
    few = np.linspace(1, 2, 5)
    tiles = np.arange(96)
    apart = np.where(TABLE < 0, 0, few[TABLE])
    return {
        "packed": (Packed(N), packed, (), symmetric(packed)),
        "strided memory": (Packed(N), np.repeat(packed, 3)[::-3], (), symmetric(packed[::-1])),
        "integers": (Packed(N), np.arange(28), (), symmetric(np.arange(28))),
        "antisymmetric": (Antisymmetric(N), signed, (), antisymmetric(signed)),
        "hermitian": (Hermitian(N), complexes, (), whole),
        "table": (Indexed(9, 5), few, (TABLE,), apart),
        "tiles": (Tiled(2, 3, 4), tiles, (), tiled(tiles)),
    }


HOW = [("CPU", {"tier": "compile"}), ("CPU", {"tier": "interpret"}), ("PYTHON", {})]


@pytest.mark.parametrize(("device", "options"), HOW, ids=["compiled", "numpy", "reference"])
@pytest.mark.parametrize("name", cases())
class TestLayouts:
    @pytest.fixture
    def both(self, name: str, device: str, options: dict[str, Any]) -> Any:
        layout, stored, tables, dense = cases()[name]
        with config(eager_numel=0, **options):
            yield seen(layout, stored, *tables, device=device), dense

    def test_elementwise(self, both: tuple[Buffer, Array]) -> None:
        x, dense = both
        assert (elements(x * 2 + 1) == dense * 2 + 1).all()

    def test_sums(self, both: tuple[Buffer, Array]) -> None:
        x, dense = both
        np.testing.assert_allclose(elements(x.sum()), dense.sum(), rtol=1e-6, atol=1e-6)
        for axis in range(dense.ndim):
            found = elements((x * x).sum(axis=axis))
            np.testing.assert_allclose(found, (dense * dense).sum(axis=axis), rtol=1e-6)

    def test_views(self, both: tuple[Buffer, Array]) -> None:
        x, dense = both
        assert (elements(x.T.copy()) == dense.T).all()
        assert (elements(x[1:5] + 1) == dense[1:5] + 1).all()
        assert (elements(x[::-2].T + 1) == dense[::-2].T + 1).all()
        assert (elements(x.reshape((-1,))[3:] * 2) == dense.reshape(-1)[3:] * 2).all()

    def test_padding(self, both: tuple[Buffer, Array]) -> None:
        x, dense = both
        widths = [(1, 2)] * dense.ndim
        assert (elements(x.pad(widths) + 1) == np.pad(dense, widths) + 1).all()

    def test_two_operands(self, both: tuple[Buffer, Array]) -> None:
        x, dense = both
        other = np.arange(dense.size, dtype=dense.dtype).reshape(dense.shape)
        y = onebuf.asarray(other, device=x.device)
        assert (elements(x.T + y.T) == dense.T + other.T).all()


def test_a_pending_base_is_computed_before_it_is_read() -> None:
    stored = np.linspace(0, 1, 28)
    with config(eager_numel=0, tier="compile"):
        base = onebuf.asarray(stored) * 3
        node = make(VIEW, (base._node,), Packed(N), (N, N), base.dtype)
        x = Buffer._value(node)
        assert (elements(x + 1) == symmetric(stored * 3) + 1).all()


def test_zeros_are_read_without_memory() -> None:
    with config(eager_numel=0, tier="compile"):
        base = onebuf.full(28, 2.0)
        x = Buffer._value(make(VIEW, (base._node,), Packed(N), (N, N), base.dtype))
        assert elements(x + 1).tolist() == np.full((N, N), 3.0).tolist()


def test_a_write_to_the_stored_elements_is_seen() -> None:
    base = onebuf.asarray(np.zeros(28))
    x = Buffer.__new__(Buffer)
    x._node = make(VIEW, (base._node,), Packed(N), (N, N), base.dtype)
    x._base = base
    late = x + 1
    base[...] = 5
    assert (elements(late) == 1).all()
    assert (elements(x + 1) == 6).all()


def test_the_value_elsewhere_is_the_layouts() -> None:
    with config(eager_numel=0, tier="compile"):
        x = seen(Indexed(3, 2, 9.5), np.array([1.0, 2.0]), np.array([1, -1, 0]))
        assert elements(x + 1).tolist() == [3, 10.5, 2]


def test_a_layout_without_strides_takes_one_kernel() -> None:
    x = seen(Antisymmetric(N), np.linspace(-2, 3, 21))
    with config(eager_numel=0, tier="compile"):
        kernels = onebuf.schedule((x * 2 + x.T).sum(axis=1))
    assert len(kernels) == 1


def test_a_table_that_does_not_fit_is_an_error_and_reads_nothing() -> None:
    with config(eager_numel=0, tier="compile"):
        x = seen(Indexed(3, 5), np.zeros(5), np.array([0, 5, 1]))
        with pytest.raises(RuntimeError, match="out of range"):
            elements(x + 1)


def test_a_plan_serves_other_elements_and_another_table() -> None:
    with config(eager_numel=0, tier="compile"):
        for turn in range(8):
            few, table = np.arange(5.0) * turn, np.roll(TABLE, turn)
            x = seen(Indexed(9, 5), few, table)
            found = elements(x.sum() + 1)
            assert found == np.where(table < 0, 0, few[table]).sum() + 1
