"""Numbers: elements that were read and results without axes, next to NumPy's scalars."""

from __future__ import annotations

import copy
import csv
import io
import json
import math
import pickle
import random

import numpy as np
import pytest
from buffer.cases import MODES, in_mode, make
from hypothesis import given, settings
from hypothesis import strategies as st

import onebuf
from onebuf import Buffer, dtypes

both_modes = pytest.mark.parametrize("mode", MODES)


def twins():
    array = np.array([1.5, 2.5, 3.25])
    return array, onebuf.asarray(array.copy())


# What was read stays what it was


@both_modes
def test_an_element_does_not_change_with_its_buffer(mode):
    x = make(np.arange(3.0), mode)
    with in_mode(mode):
        before = x[1]
        x[1] = 9
        x += 1
        assert before.item() == 1.0
        assert not before.is_view


@both_modes
def test_elements_can_be_swapped(mode):
    x = make(np.arange(3.0), mode)
    with in_mode(mode):
        x[0], x[2] = x[2], x[0]
    assert x.tolist() == [2.0, 1.0, 0.0]


def test_the_standard_librarys_shuffle_and_sort_algorithms_work():
    x, array = onebuf.asarray(np.arange(20)), np.arange(20)
    random.Random(3).shuffle(x)
    random.Random(3).shuffle(array)
    assert x.tolist() == array.tolist()
    for i in range(1, 20):
        key, j = x[i], i - 1
        while j >= 0 and x[j] > key:
            x[j + 1] = x[j]
            j -= 1
        x[j + 1] = key
    assert x.tolist() == list(range(20))


@both_modes
def test_an_ellipsis_makes_it_a_view(mode):
    x = make(np.arange(3.0), mode)
    with in_mode(mode):
        view = x[1, ...]
        x[1] = 9
        assert view.item() == 9.0
        view += 1
        view[...] = view * 2
    assert x.tolist() == [0.0, 20.0, 2.0]


@pytest.mark.parametrize("device", ["CPU", "PYTHON"])
def test_elements_on_any_device_are_numbers_there(device):
    x = Buffer([1.0, 2.0]).to_device(device)
    before = x[0]
    x[0] = 5.0
    assert before.device == x.device
    assert before.item() == 1.0
    before += x[1]
    assert (before.item(), x.tolist()) == (3.0, [5.0, 2.0])


COMPUTED = {
    "element": lambda x: x[0],
    "element of a matrix": lambda x: x.reshape(1, 3)[0, 2],
    "sum": lambda x: x.sum(),
    "max": lambda x: x.max(),
    "mean": lambda x: x.mean(),
    "argmax": lambda x: x.argmax(),
    "product": lambda x: x @ x,
    "arithmetic": lambda x: x.sum() * 2 - x[1],
    "of memory": lambda x: np.add(x[0, ...], 1),
    "NumPy's function": lambda x: np.median(x),
    "converted": lambda x: x[0].astype("float32"),
    "reshaped": lambda x: x[0].reshape(()),
    "unpickled": lambda x: pickle.loads(pickle.dumps(x[0])),
    "copied": lambda x: copy.deepcopy(x[0]),
    "any": lambda x: (x > 2).any(),
    "deep": lambda x: x[0][()],
}
MADE = {
    "zeros": lambda x: onebuf.zeros(()),
    "full": lambda x: onebuf.full((), 3.0),
    "empty": lambda x: onebuf.empty(()),
    "Buffer": lambda x: Buffer(3.0),
    "asarray": lambda x: onebuf.asarray(3.0),
    "asarray of a number": lambda x: onebuf.asarray(x[0]),
    "Buffer of a number": lambda x: Buffer(x[0]),
    "view": lambda x: x[0, ...],
    "view of a number": lambda x: x[0][...],
    "reshaped": lambda x: x[:1].reshape(()),
    "squeezed": lambda x: x[:1].squeeze(),
    "copied": lambda x: Buffer(3.0).copy(),
    "unpickled": lambda x: pickle.loads(pickle.dumps(Buffer(3.0))),
    "converted": lambda x: Buffer(3.0).astype("float64"),
    "moved": lambda x: Buffer(3.0).to_device("PYTHON"),
    "zeros_like": lambda x: onebuf.zeros_like(Buffer(3.0)),
}


@both_modes
@pytest.mark.parametrize("name", COMPUTED)
def test_what_is_computed_or_read_without_axes_never_changes(name, mode):
    x = make(np.array([1.5, 2.5, 3.25]), mode)
    with in_mode(mode):
        one = COMPUTED[name](x)
        old, value = one, one.item()
        one += 1
        assert old.item() == value
        assert one.item() == value + 1
        assert hash(old) == hash(value)
        with pytest.raises(TypeError, match="number"):
            np.add(1, 2, out=old)


@pytest.mark.parametrize("name", ["element", "element of a matrix", "deep"])
def test_a_write_to_an_element_that_was_read_is_refused_since_it_would_be_lost(name):
    one = COMPUTED[name](twins()[1])
    for write in (lambda: one.__setitem__(..., 0), lambda: one.fill(0)):
        with pytest.raises(TypeError, match="item assignment"):
            write()


@both_modes
@pytest.mark.parametrize("name", ["sum", "product", "arithmetic", "NumPy's function", "any"])
def test_the_standards_programs_may_write_to_results_without_axes(name, mode):
    x = make(np.array([1.5, 2.5, 3.25]), mode)
    with in_mode(mode):
        one, other = COMPUTED[name](x), COMPUTED[name](x)
        kept = other.item()
        one[one != 0] = 0
        assert one.item() == 0
        one[...] = 1
        assert (one.item(), other.item()) == (1, kept)
        assert x.tolist() == [1.5, 2.5, 3.25]


@pytest.mark.parametrize("name", MADE)
def test_what_is_made_or_viewed_without_axes_is_memory(name):
    one = MADE[name](onebuf.asarray([1.5, 2.5]))
    one[...] = 2
    same = one
    one += 1
    assert same is one
    assert one.item() == 3.0
    with pytest.raises(TypeError, match="unhashable"):
        hash(one)


@pytest.mark.parametrize(
    "shown",
    [
        np.asarray,
        np.from_dlpack,
        lambda s: np.asarray(s.window()),
        lambda s: s.reshape(1),
        lambda s: s[None],
        lambda s: s.unwrap(),
        lambda s: s.to_numpy(),
        onebuf.asarray,
        lambda s: s.flatten(),
    ],
)
@pytest.mark.parametrize("name", ["element", "sum"])
def test_memory_that_leaves_a_number_is_a_copy(name, shown):
    one = COMPUTED[name](twins()[1])
    value = one.item()
    shown(one)[...] = -1
    assert one.item() == value


def test_a_pending_expression_is_computed_once_for_all_its_elements():
    with onebuf.config(eager_numel=0):
        x = onebuf.asarray(np.arange(100.0)) * 2
        with onebuf.counters() as counted:
            assert [float(x[i]) for i in range(20)] == [2.0 * i for i in range(20)]
        assert counted.kernels <= 1


# What Python and NumPy make of them

EXPRESSIONS = """
x == [1.5, 2, 3]; x != (1.5, 2, 3); x + [1, 2, 3]; [1, 2, 3] * x; [1, 2, 3] * i; x < (1, 2, 4)
x @ [1, 2, 3]; [1, 2, 3] @ x; [[1.0, 2.0, 3.0]] @ x; x - [[1], [2]]
x.astype("float32") + [1.0] * 3; 2.5 in x; 7 in x; "a" in x; None in x; [1.5, 2.5, 3.25] in x
i[0] in x; np.float64(2.5) in x; divmod(x, i); divmod(7, i); divmod(x[2], 2); divmod(7, i[2])
x // i; [3, 5, 7] // i; round(x[0]); round(x[2], 1); round(i[1]); round(x.sum())
math.floor(x[0]); math.ceil(x[0]); math.trunc(x[0]); math.sqrt(i[2]); math.isclose(x[0], 1.5)
f"{x[0]:.2f}"; f"{i[0]:5d}"; "%d" % i[1]; "%.3f" % x.sum(); "%s" % x[0]; f"{x[0]}"; f"{x}"
str(x.sum() / 3); str(x[0]); str(i[0] == 1); str(x.astype("float32")[2] / 3)
"{:>8.1e}".format(x[1]); int(x[0]); float(i[0]); complex(x[0]); bool(x[:1]); bool(i[0] - 1)
not x[0]; x[0] and 5; x == None; x != None; x == "a"; x != "a"; x == b"a"; x[0] == None
x == object(); x[0] != "a"; hash(x[0]) == hash(1.5); hash(i[0]) == hash(1); {x[0]: 1}[1.5]
{1: 2}[i[0]]; len({i[0], i[0], i[1]})
sorted({int(k): int(v) for k, v in dict(zip(*L.unique(i, return_counts=True))).items()}.items())
[0] * i[2]; i[2] * [0]; "ab" * i[1]; list(range(i[2])); [10, 20, 30][i[1]]; x[i[0]]
x[i.argmax()]; x.item(1); x.item(-1); x[1].item(); x.reshape(3, 1).item(2, 0)
x.reshape(3, 1).item((1, 0)); i[0] + 1; i[0] / i[1]; i[0] // 2; i[1] ** 2; x[0] ** 0.5; -i[0]
abs(-x[0]); i[0] & 1; i[0] << 3; ~i[0]; i[0] % 2; 7 % i[2]; 2 ** i[2]; 2.0 * x[0]; True + i[0]
x[0] == x[0]; x[0] < 2; 3 >= i[2]; i[0] ^ 3; max(x[0], x[1]); max(3, i[1]); min(x[0], 5.0)
sum(x); max(x); min(i); sum(x > 2); any(x > 3); list(x); tuple(i); sorted(-x)
[a * b for a, b in zip(x, i)]; [n * v for n, v in enumerate(x)]
[v for row in i.reshape(3, 1) for v in row]; reversed(list(x)).__next__(); x[0] + np.float32(1)
np.float32(1) + x[0]; x[0] + np.arange(3); np.arange(3) * i[0]
np.float64(3) + x.astype("float32"); x.astype("float32")[0] + x.astype("float32")[1]
x.astype("float32")[0] + 1.5; x.astype("float32") + x[0]; i.astype("int8")[0] + 1
i.astype("uint8")[0] - i.astype("uint8")[1]; i.astype("int8")[2] / 2; L.asarray([x[0], x[1]])
L.asarray([[x[0], 1.0], [i[0], 2]]); np.isnan(x[0]); np.sqrt(x[0]); x[0].dtype; x[0].shape
x[0].ndim; x[0].size; x[0].T; x[0].real; x[0].imag; x[0].sum(); x[0].reshape(1); x[0][()]
x[0][...]; x[0][None]; x[np.array(1)]; x[(np.int64(1),)]; x[0].tolist(); x[0].flatten()
x.sum() == 7.25; i.max() - i.min(); x.mean(); i.sum() / 2; (x > 2).sum(); x @ x; x.std()
i == 2**70; i < 2**70; i[0] < 2**70; i[0] == 2**70
"""


@pytest.mark.parametrize(
    "code", [c.strip() for c in EXPRESSIONS.replace("\n", ";").split(";") if c]
)
def test_python_and_numpy_take_numbers_as_they_take_numpys(code):
    def run(library):
        scope = {"L": library, "np": np, "math": math}
        scope["x"] = library.asarray(np.array([1.5, 2.5, 3.25]))
        scope["i"] = library.asarray(np.array([1, 2, 3]))
        with np.errstate(all="ignore"):
            return eval(code, scope)

    same(run(onebuf), run(np))


def same(got, wanted):
    if isinstance(wanted, tuple | list):
        assert type(got) is type(wanted)
        for one, two in zip(got, wanted, strict=True):
            same(one, two)
    elif isinstance(wanted, np.ndarray | np.generic):
        assert isinstance(got, Buffer)
        assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape)
        assert got.tolist() == wanted.tolist()
    else:
        assert type(got) is type(wanted)
        assert got == wanted


WORDS = {
    "bool": ("bool(x)", ValueError, "The truth value of an array with more than one element"),
    "bool of none": ("bool(x[:0])", ValueError, "The truth value of an empty array is ambiguous"),
    "int": ("int(x)", TypeError, "can be converted to Python scalars"),
    "item": ("x.item()", ValueError, "can only convert an array of size 1 to a Python scalar"),
    "item outside": ("x.item(5)", IndexError, "out of bounds"),
    "hash": ("hash(x)", TypeError, "unhashable type"),
    "len": ("len(x[0])", TypeError, "len"),
    "iter": ("iter(x[0])", TypeError, "itera"),
    "index": ("[1, 2][x[0]]", TypeError, "index"),
    "index outside": ("x[5]", IndexError, "index 5 is out of bounds for axis 0 with size 3"),
    "row outside": ("x[None][0, -4]", IndexError, "index -4 is out of bounds for axis 1 with size"),
    "list outside": ("x[[0, 7]]", IndexError, "index 7 is out of bounds for axis 0 with size 3"),
    "too many": ("x[0, 0]", IndexError, "too many indices for array: array is 1-dimensional"),
    "no index": ("x['a', 'b']", IndexError, "only integers, slices.*are valid indices"),
    "broadcast": (
        "x + [1, 2]",
        ValueError,
        r"operands could not be broadcast together with shapes",
    ),
    "write shape": ("x.__setitem__(slice(2), [1, 2, 3])", ValueError, "could not broadcast input"),
    "cast": ("i.__iadd__(1.5)", TypeError, "Cannot cast ufunc 'add' output from dtype"),
    "complex": ("x.__setitem__(0, 1j)", TypeError, "Cannot cast.*dtype"),
    "reshape": ("x.reshape(2, 2)", ValueError, r"cannot reshape array of size 3 into shape"),
    "axis": ("x.sum(axis=3)", ValueError, "axis 3 is out of bounds for array of dimension 1"),
    "range": ("i.astype('int8') + 200", OverflowError, "out of bounds"),
    "matmul": ("x @ [1, 2]", ValueError, "mismatch in the core dimension"),
    "power": ("i ** -1", ValueError, "Integers to negative integer powers are not allowed"),
    "write": ("x[0].__setitem__(0, 1)", TypeError, "item assignment"),
    "order": ("x < None", TypeError, "not supported between"),
    "sum with text": ("x + 'a'", TypeError, "unsupported"),
}


@pytest.mark.parametrize("name", WORDS)
def test_what_numpy_refuses_is_refused_in_its_words(name):
    code, kind, words = WORDS[name]
    with pytest.raises(kind, match=words):
        eval(code, {"x": twins()[1], "i": onebuf.asarray([1, 2, 3])})


def test_formats_apply_to_each_of_several_elements():
    assert f"{onebuf.asarray([[1.0, 2.55]]):.1f}" == "[[1.0 2.5]]"


def test_a_csv_file_has_all_digits():
    text = io.StringIO()
    csv.writer(text).writerow(onebuf.asarray([1 / 3, 2e-17, 1e300]))
    assert [float(part) for part in text.getvalue().split(",")] == [1 / 3, 2e-17, 1e300]
    assert json.loads(json.dumps(onebuf.asarray([1 / 3]).tolist())) == [1 / 3]


@pytest.mark.parametrize("dtype", dtypes.ALL, ids=str)
def test_iterating_gives_the_elements_of_every_dtype(dtype):
    array = np.arange(4).astype(dtype)
    got = list(onebuf.asarray(array))
    assert [one.dtype for one in got] == [dtype] * 4
    assert [one.item() for one in got] == onebuf.asarray(array).tolist()
    assert [hash(one) for one in got] == [hash(one) for one in onebuf.asarray(array).tolist()]


def test_iterating_sees_writes_to_what_is_still_to_come():
    def run(x):
        seen = []
        for n, value in enumerate(x):
            seen.append(float(value))
            if n + 1 < len(x):
                x[n + 1] += value
        return seen

    assert run(onebuf.arange(5.0)) == run(np.arange(5.0)) == [0.0, 1.0, 3.0, 6.0, 10.0]


def test_flatten_copies_and_ravel_views():
    for x in (onebuf.asarray(np.arange(4.0)), onebuf.asarray(np.arange(4.0).reshape(2, 2))):
        flat = x.flatten()
        flat[0] = 9
        assert x.tolist() != flat.tolist()
        assert not flat.is_view
        assert x.ravel().base is x


def test_in_place_operators_take_lists():
    x = onebuf.asarray([1.0, 2.0])
    y = x
    x += [1, 2]
    x *= (2, 3)
    assert y is x
    assert x.tolist() == [4.0, 12.0]


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_programs_of_reads_swaps_views_and_writes_run_as_on_numpy(data):
    """Names for numbers and views, as programs have them, next to NumPy's."""
    draw = data.draw
    array = np.arange(draw(st.integers(2, 6))).astype(draw(st.sampled_from(["f8", "f4", "i8"])))
    with onebuf.config(eager_numel=draw(st.sampled_from([0, 4, 4096]))):
        x = make(array, draw(st.sampled_from(MODES)))
        names = [(x[0], array[0])]
        for _ in range(draw(st.integers(1, 12))):
            places = st.integers(-len(array), len(array) - 1)
            i, j, n = draw(places), draw(places), draw(st.integers(0, len(names) - 1))
            action = draw(st.sampled_from(ACTIONS))
            if action == "read":
                names.append((x[i], array[i]))
            elif action == "view":
                names.append((x[i, ...], array[i, ...]))
            elif action == "sum":
                names.append((x[: i % 4].sum(), array[: i % 4].sum()))
            elif action == "swap":
                x[i], x[j] = x[j], x[i]
                array[i], array[j] = array[j], array[i]
            elif action == "write":
                x[i], array[i] = names[n]
            elif action == "change":
                one, two = names[n]
                one += 1
                two += 1
                names.append((one, two))
            elif action == "combine":
                names.append((names[n][0] + x[i], names[n][1] + array[i]))
            else:
                x += names[n][0]
                np.add(array, names[n][1], out=array, casting="unsafe")
        assert x.tolist() == array.tolist()
        assert [one.item() for one, _ in names] == [two.item() for _, two in names]


ACTIONS = ("read", "view", "sum", "swap", "write", "change", "combine", "update")
