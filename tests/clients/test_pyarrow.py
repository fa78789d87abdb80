"""pyarrow tables, batches and computations on buffers.

How one buffer becomes one Arrow array is in tests/interop/test_arrow.py.
"""

import io

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyarrow import ipc, parquet

import onebuf

V = np.array([3.0, 1.0, 2.0])
I = np.array([2, 0, 1])  # noqa: E741


def table() -> pa.Table:
    v, i = onebuf.asarray(V), onebuf.asarray(I)
    return pa.table({"v": v, "i": i, "pending": v * 2 + 1, "t": v > 1.5})


def reference() -> pa.Table:
    return pa.table({"v": V, "i": I, "pending": V * 2 + 1, "t": V > 1.5})


@pytest.mark.parametrize("eager_numel", [4096, 0])
def test_a_table_of_buffers_is_that_of_numpys_arrays(eager_numel: int) -> None:
    with onebuf.config(eager_numel=eager_numel):
        assert table().equals(reference())


def test_columns_share_the_buffers_memory() -> None:
    x = onebuf.asarray(V, copy=True)
    column = pa.table({"v": x}).column("v").chunk(0)
    x[0] = 50.0
    assert column.to_pylist()[0] == 50.0


def test_chunks_and_batches() -> None:
    x = onebuf.asarray(V)
    assert pa.chunked_array([x, x * 2]).to_pylist() == [*V, *(V * 2)]
    batch = pa.RecordBatch.from_arrays([pa.array(x), pa.array(x + 1)], ["a", "b"])
    assert batch.to_pydict() == {"a": V.tolist(), "b": (V + 1).tolist()}
    schema = pa.schema([("a", pa.float32()), ("b", pa.int16())])
    typed = pa.table({"a": x, "b": onebuf.asarray(I)}, schema=schema)
    assert typed.schema == schema
    assert typed.column("b").to_pylist() == I.tolist()


def test_lists_of_one_length_are_rows() -> None:
    x = onebuf.asarray(np.arange(6.0).reshape(2, 3))
    rows = pa.FixedSizeListArray.from_arrays(pa.array(x.ravel()), 3)
    assert rows.to_pylist() == [[0, 1, 2], [3, 4, 5]]
    assert onebuf.asarray(rows.values).reshape(2, 3).to_python() == rows.to_pylist()


def test_computations_on_columns() -> None:
    ours, theirs = table(), reference()
    assert ours.filter(pc.field("v") > 1.5).equals(theirs.filter(pc.field("v") > 1.5))
    assert ours.sort_by("i").equals(theirs.sort_by("i"))
    sums = [("v", "sum"), ("i", "max")]
    assert ours.group_by("t").aggregate(sums).equals(theirs.group_by("t").aggregate(sums))
    assert pc.sum(pa.array(onebuf.asarray(V))).as_py() == 6.0


def test_columns_come_back_as_buffers() -> None:
    x = onebuf.asarray(V, copy=True)
    sorted_column = pa.table({"v": x}).sort_by("v").column("v").combine_chunks()
    back = onebuf.asarray(sorted_column)
    assert (back * 2).to_python() == [2.0, 4.0, 6.0]
    joined = onebuf.asarray(pa.chunked_array([x, x]))
    assert joined.to_python() == [*V, *V]


def test_a_table_goes_through_files() -> None:
    for write, read in (
        (parquet.write_table, parquet.read_table),
        (lambda t, f: _write_stream(t, f), lambda f: ipc.open_stream(f).read_all()),
    ):
        file = io.BytesIO()
        write(table(), file)
        file.seek(0)
        again = read(file)
        assert again.equals(reference())
        np.testing.assert_array_equal(np.asarray(onebuf.asarray(again.column("v"))), V)


def _write_stream(t: pa.Table, file: io.BytesIO) -> None:
    with ipc.new_stream(file, t.schema) as writer:
        writer.write_table(t)


def test_the_storage_of_a_buffer_is_a_buffer_of_arrows() -> None:
    x = onebuf.asarray(V)
    assert pa.py_buffer(x.data).to_pybytes() == V.tobytes()
    assert pa.Tensor.from_numpy(np.asarray(x)).to_numpy().tolist() == V.tolist()
