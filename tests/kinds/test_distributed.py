"""Distributed buffers on threads: what they are, what moves, and what is refused."""

import gc
import pickle

import distributed_programs
import numpy as np
import pytest

import onebuf
from onebuf import DistributedBuffer, RemoteBuffer, ReplicatedBuffer, runtime
from onebuf.errors import (
    ArgumentError,
    DeviceError,
    DTypeError,
    NotDistributed,
    RegionError,
    RuntimeClosed,
    ShapeError,
)
from onebuf.events import Moved, Progress, listening
from onebuf.shapes import Nested, Tiled


@pytest.fixture(params=[1, 2, 3, 4])
def places(request):
    with runtime("threads", places=request.param) as opened:
        yield opened


@pytest.fixture
def four():
    with runtime("threads", places=4) as opened:
        yield opened


def table(rows=10, columns=6):
    return np.arange(float(rows * columns)).reshape(rows, columns)


def moved(block):
    """The bytes that go from place to place in a call."""
    heard = []
    with listening(lambda event: heard.append(event) if isinstance(event, Moved) else None):
        block()
    return sum(event.nbytes for event in heard if event.target is not None)


# -- what they are ---------------------------------------------------------------------------------


def test_a_distributed_buffer_says_what_it_is(four):
    x = onebuf.asarray(table()).distribute(tiles=(3, 4))
    assert type(x) is DistributedBuffer
    assert isinstance(x, onebuf.Buffer)
    assert (x.shape, x.dtype, x.tiles) == ((10, 6), np.float64, Tiled((3, 3, 3, 1), (4, 2)))
    assert x.nested_shape == Nested((2, 2), x.tiles)
    assert x.nested_shape.elements == (8, 60)
    assert x.layout.tiles == x.tiles
    assert x.runtime is four
    assert x.allocator.runtime is four
    assert (four.name, four.mode, four.places, four.here, four.rank) == (
        "threads",
        "driver",
        4,
        None,
        0,
    )
    assert "4 x 2 tiles" in repr(x)
    assert "lazy add" in repr(x + 1)
    assert str(x.sum()) == str(table().sum())


@pytest.mark.parametrize(
    "tiles",
    [
        *[None, 3, (3, 4), (3, None), ((1, 9), (6,))],
        *[Tiled((5, 5), (2, 4)), Nested((2, 2), (2, 3, 5, 2))],
    ],
)
def test_every_way_to_say_tiles(places, tiles):
    x = onebuf.asarray(table()).distribute(tiles=tiles)
    assert np.array_equal(x.to_local(), table())
    assert (x + x.T.T).sum().item() == 2 * table().sum()


def test_block_cyclic_tiles(four):
    x = onebuf.asarray(table()).distribute(tiles=(2, 2), grid=(2, 2))
    assert x.placement.holder((1, 1)) == 3
    assert x.placement.holder((2, 1)) == 1
    assert np.array_equal((x * 2).to_local(), table() * 2)
    assert np.array_equal((x @ x.T).to_local(), table() @ table().T)


@pytest.mark.parametrize("tiles", [0, -2, (3,), (3, 4, 5), ((1, 2), 6), "ab", 2.5])
def test_tiles_that_do_not_fit_are_refused(four, tiles):
    with pytest.raises((ValueError, TypeError)) as caught:
        onebuf.asarray(table()).distribute(tiles=tiles)
    assert isinstance(caught.value, onebuf.errors.OnebufError)


def test_local_buffer_is_the_memory_itself(four):
    x = onebuf.asarray(table()).distribute(tiles=(3, 4))
    mine = x.local_buffer()
    mine[0, 0] = 99
    assert x[0, 0].item() == 99
    [(box, part)] = x.local_boxes()
    assert box == ((0, 10), (0, 6))
    assert part.shape == (10, 6)


def test_an_element_and_iteration(four):
    x = onebuf.asarray(table()).distribute(tiles=(3, 4))
    assert x[4, 5].item() == table()[4, 5]
    assert len(x) == 10
    assert [row.sum().item() for row in x] == table().sum(1).tolist()


def test_without_a_block_places_are_this_process():
    x = onebuf.asarray(table()).distribute()
    assert x.runtime.name == "threads"
    assert x.sum().item() == table().sum()


def test_a_lazy_buffer_is_computed_where_it_is_to_be(places):
    onebuf.random.seed(5)
    x = onebuf.random.normal(size=(500, 40))
    whole = np.asarray(x.copy())
    onebuf.random.seed(5)
    found = onebuf.random.normal(size=(500, 40)).distribute(tiles=(70, None))
    assert np.array_equal(found.to_local(), whole)


# -- slices, chips, remote parts -------------------------------------------------------------------


def test_slices_are_remote_and_move_nothing(four):
    x = onebuf.asarray(table()).distribute(tiles=(3, 4))
    parts = []
    assert moved(lambda: parts.append((x.slice((1, 0), (4, 2)), x.chip(2), x.slice(0)))) == 0
    part, chip, row = parts[0]
    assert (type(part), type(chip)) == (RemoteBuffer, RemoteBuffer)
    assert (part.shape, chip.shape, row.shape) == ((3, 2), (6,), (1, 6))
    assert part.local_buffer().tolist() == table()[1:4, :2].tolist()
    assert type(part.local_buffer()) is onebuf.Buffer
    assert chip.local_buffer().tolist() == table()[2].tolist()


def test_pulling_a_region_moves_exactly_its_bytes(four):
    x = onebuf.asarray(table()).distribute(tiles=(3, 4))
    heard = []
    with listening(lambda event: heard.append(event) if isinstance(event, Moved) else None):
        x.slice((2, 3), (7, 5)).local_buffer()
    assert sum(event.nbytes for event in heard) == 5 * 2 * 8


def test_remote_parts_nest_and_compute(four):
    x = onebuf.asarray(table()).distribute(tiles=(3, 4))
    part = x.slice((1, 1), (9, 6)).slice((1, 1), (4, 4))
    assert part.local_buffer().tolist() == table()[2:5, 2:5].tolist()
    made = part * 2 + 1
    assert type(made) is DistributedBuffer
    assert np.array_equal(made.to_local(), table()[2:5, 2:5] * 2 + 1)


def test_remote_writes_and_additions(places):
    x = onebuf.asarray(table()).distribute(tiles=(3, 4))
    wanted = table()
    part = x.slice((1, 0), (4, 2))
    part.write(np.full((3, 2), 5.0))
    wanted[1:4, :2] = 5
    part.accumulate(1.5)
    wanted[1:4, :2] += 1.5
    x.slice((0, 0), (2, 6))[...] = [0, 1, 2, 3, 4, 5]
    wanted[:2] = [0, 1, 2, 3, 4, 5]
    x.chip(9)[2:4] = 7
    wanted[9, 2:4] = 7
    assert np.array_equal(x.to_local(), wanted)


def test_lazy_readers_have_the_elements_from_before_a_remote_write(places):
    x = onebuf.asarray(table()).distribute(tiles=(3, 4))
    before, part = x + 1, x[2:5] * 2
    x.slice((0, 0), (10, 3)).write(0)
    x.slice((9, 5), (10, 6)).accumulate(5)
    assert np.array_equal(before.to_local(), table() + 1)
    assert np.array_equal(part.to_local(), table()[2:5] * 2)
    assert x[9, 5].item() == table()[9, 5] + 5


def test_a_fetch_is_a_future(four):
    x = onebuf.asarray(table()).distribute(tiles=(3, 4))
    part = x.slice((2, 1), (8, 3)).fetch()
    assert isinstance(part, onebuf.FutureBuffer)
    assert (part + 1).tolist() == (table()[2:8, 1:3] + 1).tolist()


@pytest.mark.parametrize(
    "mistake, error",
    [
        (lambda x: x.slice((3, 0), (3, 6)), RegionError),
        (lambda x: x.slice((0, 0), (11, 6)), RegionError),
        (lambda x: x.slice((0,), (3, 6)), ShapeError),
        (lambda x: x.slice((0, 0), (2, 2)).write(np.zeros(3)), ShapeError),
        (lambda x: x.slice((0, 0), (2, 2)).write(1j), (DTypeError, TypeError)),
        (lambda x: x.slice((0, 0), (2, 2)).write("text"), onebuf.errors.OnebufError),
        (lambda x: x.T.slice((0, 0), (2, 2)).write(np.zeros((2, 2))) or 1 / 0, ZeroDivisionError),
    ],
)
def test_wrong_parts_are_refused_and_change_nothing(four, mistake, error):
    x = onebuf.asarray(table()).distribute(tiles=(3, 4))
    with pytest.raises(error):
        mistake(x)
    if error is not ZeroDivisionError:
        assert np.array_equal(x.to_local(), table())


# -- bytes moved -----------------------------------------------------------------------------------


def test_aligned_element_wise_work_moves_nothing(places):
    x = onebuf.asarray(table()).distribute(tiles=(3, 4))
    y = onebuf.asarray(table() + 1).distribute(tiles=(3, 4))
    assert moved((x * y + 3).realize) == 0
    assert moved((x.T + y.T).realize) == 0


@pytest.mark.parametrize("tiles", [None, (3, 4), (1, 6), (10, 1), 2])
def test_a_sum_over_everything_moves_64_bytes_a_place_at_most(places, tiles):
    x = onebuf.asarray(table(24, 6)).distribute(tiles=tiles)
    assert moved((x * 2).sum().realize) <= 64 * places.places


def test_redistribution_moves_what_changes_its_place_and_no_more(places):
    x = onebuf.asarray(table(24, 6)).distribute(tiles=(6, 6))
    y = x.redistribute(tiles=(24, 2))
    stays = 0
    for place in range(places.places):
        for one in x.placement.boxes(place):
            for other in y.placement.boxes(place):
                sides = [min(b, d) - max(a, c) for (a, b), (c, d) in zip(one, other, strict=True)]
                stays += max(0, sides[0]) * max(0, sides[1])
    assert moved(lambda: x.redistribute(tiles=(24, 2))) == (x.size - stays) * 8
    assert np.array_equal(y.to_local(), table(24, 6))


def test_a_stencil_moves_its_halo(four):
    x = onebuf.asarray(table(40, 6)).distribute(tiles=(10, None))
    laplacian = x[:-2] + x[2:] - 2 * x[1:-1]
    assert moved(laplacian.realize) == 3 * 2 * 6 * 8


@pytest.mark.parametrize("count, factor", [(1, 0), (2, 1), (4, 2), (9, 4)])
def test_a_product_moves_what_the_formula_of_its_algorithm_says(count, factor):
    # A grid of q x q places: each needs a panel of rows and one of columns, (q - 1) / q of which
    # are elsewhere; with one row of places (q = 1) the second factor alone goes round.
    n = 36
    with runtime("threads", places=count):
        q = int(count**0.5)
        grid = (-(-n // q), -(-n // q)) if q * q == count else (-(-n // count), n)
        a = onebuf.asarray(table(n, n)).distribute(tiles=grid)
        product = a @ a
        nbytes = moved(product.realize)
        assert np.allclose(product.to_local(), table(n, n) @ table(n, n))
    formula = min(2 * (q - 1), count - 1) * n * n * 8 if q * q == count else (count - 1) * n * n * 8
    assert nbytes <= 1.1 * formula
    assert (nbytes == 0) == (factor == 0)


def test_inner_products_move_partial_sums_alone(four):
    x = onebuf.asarray(table(96, 4)).distribute(tiles=(24, 4))
    gram = x.T @ x
    assert moved(gram.realize) <= 3 * 4 * 4 * 8 * 4
    assert np.allclose(gram.to_local(), table(96, 4).T @ table(96, 4))


def test_explain_says_what_moves_by_which_step(four):
    x = onebuf.asarray(table(24, 6)).distribute(tiles=(6, 6))
    y = onebuf.asarray(table(24, 6)).distribute(tiles=(24, 2))
    told = (x + y).explain()
    assert "1 step on threads[4]" in told
    assert "0 to 1:" in told or "1 to 0:" in told
    assert f"from {__file__}" in told
    assert f"{moved((x + y).realize)} bytes moved" in told
    assert "sum of tiles" in (x * 2).sum().explain()
    assert "at hand" in x.explain()


def test_planning_does_not_depend_on_the_number_of_tiles(four):
    x = onebuf.asarray(np.arange(20000.0)).distribute(tiles=1)
    assert len(x.placement.boxes(0)) == 1
    assert len((x * 2 + 1).explain().splitlines()) == 4
    assert np.array_equal((x * 2 + 1).to_local(), np.arange(20000.0) * 2 + 1)


# -- programs --------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", range(0, 60, 10))
def test_random_programs_equal_numpy_and_have_the_same_bits_on_any_number_of_places(first):
    found = []
    for count in (1, 2, 3, 4):
        with runtime("threads", places=count):
            found.append(distributed_programs.digests(range(first, first + 10)))
    assert found[1:] == found[:1] * 3


def test_functions_of_the_index_and_of_regions(places):
    boxes = []

    def ones(first, last):
        boxes.append((first, last))
        return np.ones([b - a for a, b in zip(first, last, strict=True)])

    x = onebuf.distributed((10, 6), lambda i, j: i * 10 + j, tiles=(3, 4))
    assert np.array_equal(x.to_local(), np.add.outer(np.arange(10) * 10, np.arange(6)))
    y = onebuf.distributed((10, 6), ones, tiles=(3, 4), dtype="float64")
    assert y.sum().item() == 60
    assert sorted(boxes)[:2] == [((0, 0), (3, 4)), ((0, 4), (3, 6))]
    assert len(boxes) == 8


@pytest.mark.parametrize(
    "function, error",
    [
        (lambda box: np.ones((2, 2)), ShapeError),
        (lambda box: np.ones(box.shape, "complex128"), DTypeError),
        (lambda box: "text", onebuf.errors.OnebufError),
        (lambda box: 1 / 0, ZeroDivisionError),
    ],
)
def test_region_functions_that_are_wrong_say_so(four, function, error):
    with pytest.raises(error, match=r"box|division"):
        onebuf.distributed((10, 6), function, tiles=(3, 4), dtype="float64")
    assert onebuf.asarray(table()).distribute().sum().item() == table().sum()


def test_a_write_that_fails_changes_nothing(four):
    x = onebuf.asarray(table()).distribute(tiles=(3, 4))
    with pytest.raises(ShapeError):
        x[2:5] = np.zeros((7, 7))
    with pytest.raises((DTypeError, TypeError)):
        x[2:5] = 1j
    with pytest.raises(IndexError):
        x[20] = 1
    assert np.array_equal(x.to_local(), table())


def test_out_of_memory_leaves_every_buffer_as_it_was(four):
    x = onebuf.asarray(table(1000, 100)).distribute(tiles=(100, None))
    y = x * 2
    with onebuf.config(memory_cap=onebuf.memory_stats()["CPU"].in_use + 1000):
        with pytest.raises(MemoryError):
            y.realize()
        with pytest.raises(MemoryError):
            x += 1
    assert np.array_equal(x.to_local(), table(1000, 100))
    assert np.array_equal(y.to_local(), table(1000, 100) * 2)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: onebuf.linalg.svd(x)[1].to_local(),
        lambda x: onebuf.fft.fft(x).to_local(),
        lambda x: np.asarray(x),
        lambda x: onebuf.median(x),
        lambda x: onebuf.nonzero(x),
        lambda x: x[[1, 2]],
        lambda x: x + np.ones(6),
        lambda x: x + onebuf.ones(6),
        lambda x: memoryview(x),
        lambda x: pickle.dumps(x.device),
    ],
)
def test_what_is_not_distributed_is_an_error_and_gathers_nothing(four, call):
    x = onebuf.asarray(table()).distribute(tiles=(3, 4))
    heard = []
    with (
        listening(lambda event: heard.append(event) if isinstance(event, Moved) else None),
        pytest.raises((NotDistributed, DeviceError, TypeError, BufferError)) as caught,
    ):
        call(x)
    assert heard == []
    assert any(word in str(caught.value) for word in ("to_local", "distribute", "host"))


def test_a_closed_runtime_says_so():
    with runtime("threads", places=2):
        x = onebuf.asarray(table()).distribute()
        y = x + 1
    for use in (x.to_local, y.realize, lambda: x.slice(0).local_buffer(), x.local_buffer):
        with pytest.raises(RuntimeClosed, match="with block"):
            use()


def test_unknown_runtimes_and_wrong_places():
    with pytest.raises(ArgumentError, match="threads, mpi, dask"):
        runtime("thread")
    with pytest.raises(ArgumentError, match="places"):
        runtime("threads", places=0)
    with pytest.raises(ArgumentError):
        runtime(3)


def test_replicas_at_every_place(places):
    x = onebuf.asarray(table()).distribute(tiles=(3, 4))
    allocator = x.allocator
    assert allocator.can_rebind(ReplicatedBuffer)
    assert not allocator.can_rebind(onebuf.OnDemandBuffer)
    copies = allocator.rebind(ReplicatedBuffer).construct(x)
    assert isinstance(copies, ReplicatedBuffer)
    assert copies.placement.is_everywhere
    assert copies.local_buffer().tolist() == table().tolist()
    assert len(copies.read()) == places.places
    assert moved((x + copies).realize) == 0
    copies[0] = 7
    assert copies.read(places.places - 1)[0].tolist() == [7] * 6
    back = copies.allocator.rebind(DistributedBuffer).construct(copies)
    assert not back.placement.is_everywhere
    assert back.sum().item() == copies.sum().item()


def test_an_allocator_of_the_host_makes_distributed_buffers(four):
    layout = onebuf.Layout((4, 6), tiles=(2, 3))
    made = onebuf.allocator(kind=DistributedBuffer).construct(layout, lambda i, j: i + j)
    assert (type(made), made.tiles) == (DistributedBuffer, Tiled((2, 2), (3, 3)))
    assert made.sum().item() == np.add.outer(np.arange(4), np.arange(6)).sum()


def test_from_a_runtime_to_another_and_to_devices(four):
    x = onebuf.asarray(table()).distribute(tiles=(3, 4))
    with runtime("threads", places=3) as three:
        y = x.distribute(tiles=(2, 6), runtime=three)
        assert y.runtime is three
        assert np.array_equal(y.to_local(), table())
        with pytest.raises(DeviceError, match="one device"):
            x + y
    assert np.array_equal(x.to_device("PYTHON").to_device("CPU"), table())


def test_labels_and_einstein_sums(places):
    a, b, t = table(4, 6), table(6, 5), np.arange(60.0).reshape(3, 4, 5)
    x = onebuf.asarray(a).distribute(tiles=(1, 6))
    y = onebuf.asarray(b).distribute(tiles=(2, 5))
    z = onebuf.asarray(t).distribute(tiles=(1, 2, 5))
    made = onebuf.zeros((4, 5)).distribute(tiles=(1, 5))
    made["i,j"] = x["i,k"] * y["k,j"]
    assert np.allclose(made.to_local(), a @ b)
    for text, buffers, arrays in (
        ("ij,kj->ik", (x, x), (a, a)),
        ("ij,ij->", (x, x), (a, a)),
        ("ij->j", (x,), (a,)),
        ("ijk,ljk->il", (z, z), (t, t)),
        ("ijk->kj", (z,), (t,)),
    ):
        assert np.allclose(onebuf.einsum(text, *buffers).to_local(), np.einsum(text, *arrays))
    assert np.allclose((z @ z.permute(0, 2, 1)).to_local(), t @ t.transpose(0, 2, 1))


def test_arrays_of_dask_need_its_runtime(four):
    x = onebuf.asarray(table()).distribute(tiles=(3, 4))
    with pytest.raises(DeviceError, match="runtime of Dask"):
        x.to_dask()
    with pytest.raises(DeviceError, match="runtime of Dask"):
        DistributedBuffer.from_dask(None)


# -- files -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["table.npy", "table.zarr"])
def test_places_read_their_own_parts_of_a_file(places, tmp_path, name):
    onebuf.save(tmp_path / name, table())
    x = onebuf.open(tmp_path / name).distribute(tiles=(3, None))
    assert not x.is_realized or not x._node.is_placed
    assert np.allclose(x.mean(axis=0).to_local(), table().mean(0))
    assert np.array_equal((x[2:5] * 2).to_local(), table()[2:5] * 2)
    onebuf.save(tmp_path / f"again.{name}", x + 1)
    assert np.array_equal(np.asarray(onebuf.open(tmp_path / f"again.{name}")[...]), table() + 1)


def test_a_file_larger_than_the_cap_is_reduced_within_it(four, tmp_path):
    rows = 4000
    with (tmp_path / "table.bin").open("wb") as file:
        file.truncate(rows * 1000 * 8)
    heard = []
    with onebuf.config(memory_cap=onebuf.memory_stats()["CPU"].in_use + (4 << 20)):
        x = onebuf.open(tmp_path / "table.bin", dtype="float64", shape=(rows, 1000))
        d = x.distribute(tiles=(100, None))
        with listening(heard.append):
            assert ((d + 1).sum().item(), (d * d).max().item()) == (rows * 1000, 0)
    assert any(isinstance(event, Progress) for event in heard)


def test_dropped_buffers_give_their_memory_back(four):
    def use():
        gc.collect()
        return onebuf.memory_stats()["CPU"].in_use

    kept = onebuf.asarray(table()).distribute(tiles=(3, 4))
    (kept + 1).realize()
    before = use()
    for number in range(2000):
        (kept + number).sum().item()
    assert use() - before < 1 << 16
