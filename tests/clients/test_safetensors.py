"""safetensors' NumPy functions with buffers in place of arrays.

How onebuf itself reads and writes such files is in tests/interop/files.
"""

from pathlib import Path

import numpy as np
import pytest
import safetensors
from safetensors import numpy as st

import onebuf
from onebuf import Buffer

A = np.arange(24.0, dtype=np.float32).reshape(4, 6)
DTYPES = ["bool", "int8", "uint16", "int32", "int64", "float16", "bfloat16", "float32", "float64"]


@pytest.mark.parametrize("eager_numel", [4096, 0])
@pytest.mark.parametrize("dtype", DTYPES)
def test_bytes_are_those_of_numpys_arrays(dtype: str, eager_numel: int) -> None:
    with onebuf.config(eager_numel=eager_numel):
        x = onebuf.asarray(A).astype(dtype)
        array = np.asarray(x).copy()
        assert st.save({"x": x + 0 if dtype != "bool" else x}) == st.save({"x": array})


def test_a_model_goes_through_a_file(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    weights = {"w": onebuf.asarray(A), "half": onebuf.asarray(A) / 2, "b": onebuf.zeros(3)}
    st.save_file(weights, path, metadata={"made": "here"})
    loaded = {name: onebuf.asarray(array) for name, array in st.load_file(path).items()}
    assert loaded.keys() == weights.keys()
    for name, x in weights.items():
        assert type(loaded[name]) is Buffer
        assert loaded[name].dtype == x.dtype
        np.testing.assert_array_equal(np.asarray(loaded[name]), np.asarray(x))
    with onebuf.open(path) as opened:
        assert (opened["half"] == loaded["half"]).all()


def test_pending_elements_are_computed_before_they_are_written() -> None:
    x = onebuf.asarray(np.ones((300, 200), np.float32)) * 2 + 1
    loaded = st.load(st.save({"x": x}))["x"]
    assert (loaded == 3).all()


def test_contiguous_makes_any_view_writable_to_a_file() -> None:
    # safetensors writes memory as it lies, and asks for contiguous arrays of NumPy as well.
    x = onebuf.asarray(A)
    views = {"t": x.T.contiguous(), "step": x[:, ::2].contiguous(), "wide": x[:1].expand(4, 6)}
    views["wide"] = views["wide"].contiguous()
    loaded = st.load(st.save(views))
    np.testing.assert_array_equal(loaded["t"], A.T)
    np.testing.assert_array_equal(loaded["step"], A[:, ::2])
    np.testing.assert_array_equal(loaded["wide"], np.broadcast_to(A[:1], (4, 6)))


def test_slices_of_a_file_become_buffers(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    st.save_file({"x": onebuf.asarray(A)}, path)
    with safetensors.safe_open(path, framework="numpy") as file:
        part = onebuf.asarray(file.get_slice("x")[1:3, ::1])
    np.testing.assert_array_equal(np.asarray(part), A[1:3])
