"""Memory that is known twice: writes through one buffer wait for readers of the other."""

import ctypes
from multiprocessing.shared_memory import SharedMemory

import numpy as np
import pytest

import onebuf
from onebuf import Buffer

N = 100_000


class Tensor:
    """Any library with DLPack."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **kwargs):
        return self.array.__dlpack__(**kwargs)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Described:
    """Any object with the array interface alone: an address, and no owner to be seen."""

    def __init__(self, array):
        self.owner = array
        self.__array_interface__ = {
            "version": 3,
            "shape": array.shape,
            "typestr": array.dtype.str,
            "data": (array.ctypes.data, False),
        }


def ones():
    return onebuf.asarray(np.ones(N), copy=True)


def back(way):
    """A buffer, and a second one on its memory that came back by some ``way``."""
    b = ones()
    return b, onebuf.asarray(way(b))


def by_pointer(b):
    array = np.asarray(b)
    memory = (ctypes.c_double * N).from_address(array.ctypes.data)
    memory._keep = array
    return memory


def files(tmp_path, name, save, **how):
    path = tmp_path / name
    save(path, np.ones(N))
    return onebuf.open(path, "r+", **how), onebuf.open(path, "r+", **how)


def memmaps(tmp_path):
    path = tmp_path / "a.bin"
    np.ones(N).tofile(path)
    return tuple(onebuf.asarray(np.memmap(path, "float64", "r+")) for _ in range(2))


def shared_memories():
    one = SharedMemory(create=True, size=8 * N)
    two = SharedMemory(one.name)
    one.unlink()
    arrays = [np.ndarray((N,), "float64", memory.buf) for memory in (one, two)]
    arrays[0][:] = 1
    found = tuple(map(onebuf.asarray, arrays))
    for memory in (one, two):  # closed by hand it would complain of what is exported still
        memory.close = lambda: None
    return found


def same_tensor_twice():
    tensor = Tensor(np.ones(N))
    return onebuf.asarray(tensor), onebuf.asarray(tensor)


PAIRS = {
    "data": lambda _: back(lambda b: b.data),
    "array": lambda _: back(np.asarray),
    "part of an array": lambda _: (lambda b: (b, onebuf.asarray(np.asarray(b)[:500])))(ones()),
    "dlpack": lambda _: back(np.from_dlpack),
    "dlpack of an array": lambda _: back(lambda b: np.from_dlpack(np.asarray(b))),
    "dlpack, backwards": lambda _: tuple(reversed(back(np.from_dlpack))),
    "interface": lambda _: back(lambda b: Described(np.asarray(b))),
    "pointer": lambda _: back(by_pointer),
    "memoryview": lambda _: back(lambda b: memoryview(np.asarray(b)).cast("B").cast("d")),
    "the same array": lambda _: (lambda a: (onebuf.asarray(a), onebuf.asarray(a)))(np.ones(N)),
    "overlapping arrays": lambda _: (lambda a: (onebuf.asarray(a[:-1]), onebuf.asarray(a)))(
        np.ones(N + 1)
    ),
    "a tensor": lambda _: same_tensor_twice(),
    "interfaces": lambda _: (
        lambda a: (onebuf.asarray(Described(a)), onebuf.asarray(Described(a)))
    )(np.ones(N)),
    ".npy": lambda path: files(path, "a.npy", np.save),
    "raw": lambda path: files(path, "a.bin", lambda p, a: a.tofile(p), dtype="float64"),
    "np.memmap": memmaps,
    "SharedMemory": lambda _: shared_memories(),
    "zarr": lambda path: files(path, "a.zarr", onebuf.save),
}


@pytest.mark.parametrize("tier", ["interpret", "compile"])
@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
def test_a_write_waits_for_readers_of_the_other(pair, tier, tmp_path):
    with onebuf.config(tier=tier):
        x, y = pair(tmp_path)
        doubled, taken, later = x * 2, x[10:], onebuf.sqrt(x + 3)
        y[0] = 5
        y += 1
        assert x[0].item() == 6
        assert doubled[:2].tolist() == [2, 2]
        assert later[0].item() == 2
        assert taken[0].item() == 2


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
def test_and_the_other_way_round(pair, tmp_path):
    x, y = pair(tmp_path)
    doubled = y * 2
    x[0] = 5
    assert (y[0].item(), doubled[0].item()) == (5, 2)


def test_parts_that_are_apart_do_not_wait_for_each_other():
    array = np.ones(N)
    x, y = onebuf.asarray(Tensor(array[: N // 2])), onebuf.asarray(Tensor(array[N // 2 :]))
    doubled = x * 2
    y[0] = 5
    assert not doubled.is_realized
    whole = onebuf.asarray(Tensor(array))
    whole[0] = 7
    assert doubled.is_realized
    assert doubled[0].item() == 2


def test_memory_that_comes_back_is_the_same_memory():
    b = ones()
    again = onebuf.asarray(np.from_dlpack(b)[10:20])
    assert again.offset == 10
    assert np.shares_memory(again, b)


def test_a_tensor_taken_again_and_again_leaves_nothing_behind():
    array = np.ones(N)
    x = onebuf.asarray(array)
    for number in range(300):
        y = onebuf.asarray(Tensor(array))
        y[0] = number
    assert x[0].item() == 299
    assert len(x._node.block.readers) <= 1


@pytest.mark.parametrize("twice", [True, False])
def test_safetensors_of_one_file_do_not_wait_for_each_other(tmp_path, twice):
    path = tmp_path / "a.safetensors"
    onebuf.save(path, {"p": np.ones(N), "q": np.ones(N)})
    one = onebuf.open(path, "r+")
    two = onebuf.open(path, "r+") if twice else one
    pending = one["p"] * 2
    two["q"][0] = 5
    assert not pending.is_realized
    two["p"][0] = 5
    assert pending[0].item() == 2
    assert isinstance(pending, Buffer)
    assert one["q"][0].item() == 5


@pytest.mark.parametrize("tier", ["interpret", "compile"])
@pytest.mark.parametrize("count", [10, N])
@pytest.mark.parametrize("kind", ["mapped", "opened"])
def test_a_write_may_overlap_what_it_reads_at_another_address(tmp_path, kind, count, tier):
    array = np.arange(float(count))
    path = tmp_path / "a.npy"
    writes = {
        "y[:] = x[::-1]": lambda x, y: y.__setitem__(slice(None), x[::-1]),
        "y[1:] += x[:-1]": lambda x, y: y[1:].__iadd__(x[:-1]),
        "y[:-1] = x[1:] * 2": lambda x, y: y.__setitem__(slice(None, -1), x[1:] * 2),
        "y[::2] = x[: len(x) // 2]": lambda x, y: y.__setitem__(
            slice(None, None, 2), x[: count // 2]
        ),
    }
    for text, write in writes.items():
        np.save(path, array)
        if kind == "opened":
            x, y = onebuf.open(path, "r+"), onebuf.open(path, "r+")
        else:
            x, y = (onebuf.asarray(np.load(path, mmap_mode="r+")) for _ in range(2))
        wanted = array.copy()
        write(wanted.copy(), wanted)
        with onebuf.config(tier=tier):
            write(x, y)
        np.testing.assert_array_equal(np.asarray(x), wanted, text)
