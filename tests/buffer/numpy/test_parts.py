"""The real and the imaginary parts of stored complex elements: views, as NumPy's are."""

from __future__ import annotations

import numpy as np
import pytest

import onebuf
from onebuf import Buffer

Z = np.arange(24.0).reshape(4, 6) * (1 - 2j)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("name", ["real", "imag"])
@pytest.mark.parametrize("key", [..., 1, (slice(None), 2), slice(None, None, -2), (slice(1, 3), 0)])
def test_a_part_is_a_view(dtype, name, key):
    array = Z.astype(dtype)
    x: Buffer = Buffer(array, copy=True)[key]
    wanted = array[key]
    part, there = getattr(x, name), getattr(wanted, name)
    assert (part.dtype, part.shape, part.is_view) == (there.dtype, there.shape, True)
    assert [n * part.dtype.itemsize for n in part.stride] == list(there.strides)
    np.testing.assert_array_equal(part, there)
    np.testing.assert_array_equal(part * 2 + 1, there * 2 + 1)
    part[1:] = 7
    there[1:] = 7
    np.testing.assert_array_equal(x, wanted)
    setattr(x, name, -1)
    assert (np.asarray(part) == -1).all()
    assert np.shares_memory(np.asarray(part), np.asarray(x))


def test_writes_to_a_part_wait_for_readers_of_the_whole():
    with onebuf.config(eager_numel=0):
        x = onebuf.asarray(Z.copy())
        later = x * 2
        x.imag[...] = 0
        x.real[0] = 5
    np.testing.assert_array_equal(later, Z * 2)
    assert x[0].tolist() == [5 + 0j] * 6


def test_a_part_outlives_the_whole_and_what_cannot_be_written_stays():
    part = (onebuf.asarray(Z) + 1).real
    others = [onebuf.asarray(Z) * n for n in range(50)]
    np.testing.assert_array_equal(part, (Z + 1).real)
    assert len(others) == 50
    fixed = Z.copy()
    fixed.flags.writeable = False
    with pytest.raises(ValueError, match="read"):
        onebuf.asarray(fixed).real[0] = 1
    assert onebuf.asarray(Z)[1, 2].real.item() == Z[1, 2].real
    x = onebuf.arange(3.0)
    assert x.real is x
    assert x.imag.tolist() == [0, 0, 0]
