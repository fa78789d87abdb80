"""Joining under a rule for conversions: what NumPy allows is allowed, and nothing else."""

import numpy as np
import pytest

import onebuf

RULES = ["no", "equiv", "safe", "same_kind", "unsafe"]
TYPES = ["int32", "int64", "float32", "float64", "complex64"]


@pytest.mark.parametrize("name", ["concatenate", "stack", "vstack", "hstack"])
@pytest.mark.parametrize("casting", RULES)
@pytest.mark.parametrize("dtype", TYPES)
def test_every_part_has_to_be_convertible(name: str, casting: str, dtype: str) -> None:
    parts = [np.asarray([1, 2], "int64"), np.asarray([1.5, 2.5], "float32")]
    ours = [onebuf.asarray(part) for part in parts]
    try:
        wanted = getattr(np, name)(parts, dtype=dtype, casting=casting)
    except TypeError:
        with pytest.raises(TypeError, match="cannot cast"):
            getattr(onebuf, name)(ours, dtype=dtype, casting=casting)
        return
    result = getattr(onebuf, name)(ours, dtype=dtype, casting=casting)
    assert result.dtype == wanted.dtype
    np.testing.assert_array_equal(np.asarray(result), wanted)


@pytest.mark.parametrize("casting", RULES)
def test_out_says_the_type_as_dtype_does(casting: str) -> None:
    parts, ours = [np.asarray([1.5, 2.5])], [onebuf.asarray([1.5, 2.5])]
    array, buffer = np.zeros(2, "float32"), onebuf.zeros(2, dtype="float32")
    try:
        np.concatenate(parts, out=array, casting=casting)
    except TypeError:
        with pytest.raises(TypeError, match="cannot cast"):
            onebuf.concatenate(ours, out=buffer, casting=casting)
    else:
        assert onebuf.concatenate(ours, out=buffer, casting=casting) is buffer
    np.testing.assert_array_equal(np.asarray(buffer), array)


def test_what_contradicts_itself_is_refused() -> None:
    x = onebuf.asarray([1.0])
    with pytest.raises(TypeError, match="got both"):
        onebuf.concatenate([x], out=x, dtype="float64")
    with pytest.raises(ValueError, match="casting must be one of"):
        onebuf.concatenate([x], casting="maybe")
    with pytest.raises(TypeError, match="arrays to stack must be"):
        onebuf.hstack(part for part in [x, x])
