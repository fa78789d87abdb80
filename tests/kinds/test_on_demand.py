"""Buffers made on demand: what they show, and how little is made and stored for it."""

import copy
import pickle
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import onebuf
from onebuf import Buffer, OnDemandBuffer, on_demand
from onebuf.errors import (
    ArgumentError,
    ArgumentTypeError,
    DTypeError,
    IndexRangeError,
    OutOfMemory,
    ReadOnlyError,
    ShapeError,
)

TIERS = [("interpret", 0), ("compile", 0), ("auto", 32768)]
HUGE = (10**6, 10**6)


@pytest.fixture(params=TIERS, ids=[f"{tier}-{eager}" for tier, eager in TIERS])
def tier(request):
    name, eager_numel = request.param
    with onebuf.config(tier=name, eager_numel=eager_numel):
        yield name


def table(shape=(6, 7)):
    return np.arange(shape[0])[:, None] * 10 + np.arange(shape[1])


def expression(shape=(6, 7), **more):
    return on_demand(shape, lambda i, j: i * 10 + j, **more)


class Calls(list):
    """A region function that remembers the boxes that it was asked for."""

    def __init__(self, elements):
        self.elements = elements

    def __call__(self, box):
        self.append(tuple(box))
        return self.elements[box.slices]


def by_region(elements, **more):
    calls = Calls(elements)
    return on_demand(elements.shape, calls, dtype=elements.dtype, per="region", **more), calls


# -- what it shows ---------------------------------------------------------------------------------


def test_an_expression_shows_what_its_function_computes(tier):
    x = expression()
    assert isinstance(x, OnDemandBuffer)
    assert x.dtype == onebuf.int64
    np.testing.assert_array_equal(np.asarray(x), table())


def test_what_is_computed_from_it_is_an_ordinary_buffer(tier):
    x = expression()
    for made in (x + 1, 1 - x, -x, x * x, x == x, x.sum(axis=0), np.sin(x), x @ x.T, x.maximum(3)):
        assert type(made) is Buffer
    np.testing.assert_array_equal(np.asarray(x * x + 1), table() ** 2 + 1)


@pytest.mark.parametrize(
    "key",
    [
        (slice(2, 5), 3),
        (slice(None, None, 2), slice(None, None, -1)),
        (..., slice(1, 1)),
        (None, 4),
        slice(4, None),
        (-1, -1),
        ...,
    ],
)
def test_slices_are_on_demand_too(tier, key):
    part = expression()[key]
    np.testing.assert_array_equal(np.asarray(part), table()[key])
    if np.ndim(table()[key]):
        assert isinstance(part, OnDemandBuffer)


@pytest.mark.parametrize(
    "move",
    [
        lambda x: x.T,
        lambda x: x.reshape(-1),
        lambda x: x.T.reshape(-1),
        lambda x: x.reshape(2, 3, 7)[:, 1],
        lambda x: x.diagonal(),
        lambda x: x[:, None].transpose(2, 1, 0),
    ],
)
def test_other_views_show_the_same_elements(tier, move):
    np.testing.assert_array_equal(np.asarray(move(expression())), move(table()))
    x, _ = by_region(table())
    np.testing.assert_array_equal(np.asarray(move(x)), move(table()))
    np.testing.assert_array_equal(np.asarray(move(x) * 2 - move(x)), move(table()))


def test_a_function_of_fewer_axes_is_repeated(tier):
    np.testing.assert_array_equal(np.asarray(on_demand((3, 4), lambda i, j: j)), [range(4)] * 3)
    np.testing.assert_array_equal(
        np.asarray(on_demand((2, 2), lambda i, j: 7.5)), np.full((2, 2), 7.5)
    )


def test_functions_of_numpy_and_a_choice_make_expressions(tier):
    x = on_demand(5, lambda i: onebuf.where(i % 2 == 0, np.sqrt(i), -1.0))
    np.testing.assert_allclose(np.asarray(x), [0, -1, 2**0.5, -1, 2])


def test_a_table_is_looked_up_by_index(tier):
    values = onebuf.asarray(np.arange(10.0) ** 2)
    x = on_demand((4, 5), lambda i, j: values[(i * 3 + j) % 10])
    expected = (np.arange(10.0) ** 2)[(np.arange(4)[:, None] * 3 + np.arange(5)) % 10]
    np.testing.assert_array_equal(np.asarray(x), expected)
    np.testing.assert_array_equal(np.asarray(x[1:3, 2] + 1), expected[1:3, 2] + 1)
    assert x.sum().item() == np.sum(expected)


def test_an_index_outside_of_a_table_is_an_error(tier):
    values = onebuf.asarray(np.arange(3.0))
    x = on_demand(5, lambda i: values[i])
    assert x[:3].tolist() == [0, 1, 2]
    with pytest.raises(IndexRangeError):
        (x * 2).tolist()


@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (1,), (1, 1, 1), 4])
def test_any_shape_will_do(tier, shape):
    x = on_demand(shape, lambda *index: sum(index, 1) + 0.5)
    expected = np.fromfunction(lambda *index: sum(index, 1) + 0.5, np.empty(shape).shape)
    if not np.empty(shape).size:
        expected = np.empty(shape)
    np.testing.assert_array_equal(np.asarray(x), expected)
    np.testing.assert_array_equal(np.asarray(x + 1), expected + 1)
    assert x.sum().item() == np.sum(expected)


DTYPES = ["bool", "int8", "uint16", "int64", "float16", "bfloat16", "float32", "complex64"]


@pytest.mark.parametrize("name", DTYPES)
def test_any_dtype_will_do(tier, name):
    dtype = onebuf.asarray([0], dtype=name).dtype
    x = on_demand((3, 4), lambda i, j: (i + j).astype(name), dtype=name)
    expected = (np.arange(3)[:, None] + np.arange(4)).astype(dtype)
    np.testing.assert_array_equal(np.asarray(x), expected)
    y, _ = by_region(expected)
    np.testing.assert_array_equal(np.asarray(y[1:]), expected[1:])
    assert y.dtype == x.dtype == dtype


@pytest.mark.parametrize("name", ["int8", "uint8", "int32", "uint64", "int64"])
def test_integers_are_divided(tier, name):
    dtype = np.dtype(name)
    i, j = np.arange(40)[:, None].astype(dtype), np.arange(7).astype(dtype)
    less = 3 if dtype.kind == "i" else 0
    by = (j.astype(int) - less).astype(dtype)
    with np.errstate(divide="ignore"):
        expected = [(i * 9) // by, (i * 9) % by]
    for divide, known in zip((onebuf.floor_divide, onebuf.remainder), expected, strict=True):
        x = on_demand(
            (40, 7),
            lambda i, j, divide=divide: divide(i.astype(name) * 9, j.astype(name) - less),
            dtype=name,
            per="element",
        )
        np.testing.assert_array_equal(np.asarray(x), known)
        np.testing.assert_array_equal(np.asarray(x.sum(axis=0)), known.sum(axis=0))
        assert x.sum().item() == known.sum()


def test_an_expression_with_division_takes_no_memory():
    x = on_demand((1000, 1000), lambda i, j: (i * 7 + j) % 10)
    with onebuf.config(tier="compile"):
        x.sum().realize()
        with onebuf.counters() as counted:
            x.sum().realize()
    assert (counted.kernels, counted.bytes_allocated < 1000) == (1, True)


def test_one_expression_reads_another(tier):
    x = expression()
    y = on_demand((6, 7), lambda i, j: x * 2 + i)
    np.testing.assert_array_equal(np.asarray(y), table() * 2 + np.arange(6)[:, None])
    np.testing.assert_array_equal(np.asarray(x + y), table() * 3 + np.arange(6)[:, None])


def test_one_expression_reads_a_region_function(tier):
    x, calls = by_region(table())
    y = on_demand((6, 7), lambda i, j: x * 2 + i)
    np.testing.assert_array_equal(np.asarray(y[2:4]), (table() * 2 + np.arange(6)[:, None])[2:4])
    assert calls == [((2, 4), (0, 7))]


@pytest.mark.parametrize(
    "compute",
    [
        lambda x, xp: xp.concat([x, x[::-1]], axis=1),
        lambda x, xp: xp.cumulative_sum(x, axis=0),
        lambda x, xp: x @ x.T,
        lambda x, xp: xp.sort(-x, axis=0),
        lambda x, xp: xp.argmax(x % 7, axis=1),
        lambda x, xp: x - xp.mean(x, axis=0),
        lambda x, xp: xp.std(xp.astype(x, xp.float32)) + xp.var(x, axis=1),
        lambda x, xp: x[x > 20],
        lambda x, xp: xp.take(x, xp.asarray([1, 4, 1]), axis=0),
        lambda x, xp: xp.pad(x, 2),
        lambda x, xp: xp.reshape(xp.permute_dims(x, (1, 0)), (3, 14)) + 1,
    ],
)
@pytest.mark.parametrize("make", [expression, lambda: by_region(table())[0]])
def test_every_kind_of_operation_takes_it(tier, compute, make):
    np.testing.assert_allclose(np.asarray(compute(make(), onebuf)), compute(table(), np))


shapes = st.lists(st.integers(1, 5), min_size=1, max_size=3).map(tuple)


@settings(deadline=None, max_examples=60)
@given(st.data(), shapes, st.sampled_from(["interpret", "compile"]), st.booleans())
def test_chains_of_views_and_operations_agree_with_numpy(data, shape, name, is_expression):
    expected = np.arange(np.prod(shape)).reshape(shape) * 1.5
    strides = [int(np.prod(shape[axis + 1 :])) for axis in range(len(shape))]
    if is_expression:
        x = on_demand(
            shape,
            lambda *i: sum(a * n for a, n in zip(i, strides, strict=True)) * 1.5,
            per="element",
        )
    else:
        x, _ = by_region(expected)
    with onebuf.config(tier=name, eager_numel=data.draw(st.sampled_from([0, 32768]))):
        for _ in range(data.draw(st.integers(1, 4))):
            x, expected = data.draw(st.sampled_from(MOVES))(x, expected)
        np.testing.assert_array_equal(np.asarray(x), expected)
        if expected.ndim:
            total = x.sum(axis=0)
            np.testing.assert_allclose(np.asarray(total), expected.sum(axis=0))


def _reshaped(x, y):
    return x.reshape(-1), y.reshape(-1)


MOVES = [
    lambda x, y: (x[1:], y[1:]),
    lambda x, y: (x[..., ::-2], y[..., ::-2]),
    lambda x, y: (x.T, y.T),
    lambda x, y: (x[None], y[None]),
    lambda x, y: (x * 2 + 1, y * 2 + 1),
    lambda x, y: (x + x[:1], y + y[:1]) if y.shape[0] else (x, y),
    _reshaped,
]


# -- how little is made ----------------------------------------------------------------------------


def test_a_fused_expression_takes_no_memory():
    x = expression((1000, 1000))
    weights = onebuf.asarray(np.ones((1000, 1000)))
    for tier in ("compile", "auto"):
        with onebuf.config(tier=tier), onebuf.counters() as counted:
            total = (x * weights).sum(axis=0)
            total.realize()
        assert counted.kernels == 1
        assert counted.bytes_allocated <= 2 * total.nbytes
        np.testing.assert_array_equal(np.asarray(total), table((1000, 1000)).sum(axis=0))


def test_two_kernels_that_read_an_expression_store_nothing_between_them():
    x = expression((700, 900))
    with onebuf.config(tier="compile"), onebuf.counters() as counted:
        rows, columns = x.sum(axis=1), x.sum(axis=0)
        onebuf.realize(rows, columns)
    assert counted.bytes_allocated <= 3 * (rows.nbytes + columns.nbytes)
    np.testing.assert_array_equal(np.asarray(rows), table((700, 900)).sum(axis=1))
    np.testing.assert_array_equal(np.asarray(columns), table((700, 900)).sum(axis=0))


def test_a_part_of_a_huge_expression_is_all_that_is_made(tier):
    x = on_demand(HUGE, lambda i, j: i * 10 + j)
    with onebuf.counters() as counted:
        assert x[10**5, 7].item() == 10**6 + 7
        assert x[5:8, 3].tolist() == [53, 63, 73]
        assert (x * 2 + 1)[5, 6].item() == 113
        assert (x * 2).T[6:8, 5].tolist() == [112, 114]
        assert (x[:3, -2:] + x[:3, :2]).sum().item() == 3 * 1999998 + 120
        assert x.diagonal()[10**5 :][:2].tolist() == [1100000, 1100011]
        assert x.reshape(-1)[10**11 : 10**11 + 2].tolist() == [1000000, 1000001]
    assert counted.peak_bytes < 1 << 20


def test_a_vector_of_a_trillion_elements_works(tier):
    x = on_demand(10**12, lambda i: i)
    assert x.numel == 10**12
    assert x[-1].item() == 10**12 - 1
    assert x[10**11 :: 10**11].tolist() == [k * 10**11 for k in range(1, 10)]
    assert [int(element) for element, _ in zip(x, range(3), strict=False)] == [0, 1, 2]
    assert x[[5, 10**11, 5]].tolist() == [5, 10**11, 5]


def test_a_region_function_is_asked_for_what_is_read_and_no_more(tier):
    x, calls = by_region(table())
    assert calls == []
    x[2:4, 1:3].tolist()
    assert calls.pop() == ((2, 4), (1, 3))
    assert x[5, 6].item() == 56
    assert calls.pop() == ((5, 6), (6, 7))
    (x[:, 1] * 2 + x[:, 1]).tolist()
    assert calls == [((0, 6), (1, 2))]
    calls.clear()
    x[::2, 3].sum().item()
    assert calls == [((0, 5), (3, 4))]
    calls.clear()
    (x + 1)[0:0].tolist()
    assert len(calls) <= 1


def test_a_huge_region_function_makes_small_parts(tier):
    x = on_demand(HUGE, lambda box: np.full(box.shape, box.first[0] + 0.5), dtype="float64")
    assert x[10**5 :, 3][:2].tolist() == [100000.5, 100000.5]
    assert (x * 2)[7, 8].item() == 15.0
    assert x[[1, 999_999], :2].tolist() == [[1.5, 1.5], [999999.5, 999999.5]]
    assert x[[1, 999_999], [5, 6]].tolist() == [1.5, 999999.5]


def test_each_access_makes_the_elements_again():
    x, calls = by_region(table())
    y = x + 1
    y.realize()
    y.tolist()
    assert len(calls) == 1  # y is stored, as any result is
    x[0].tolist()
    x[0].tolist()
    assert len(calls) == 3


def test_what_cannot_be_in_memory_is_refused_at_once(tier):
    x = on_demand(HUGE, lambda i, j: i + j)
    y, calls = on_demand(HUGE, Calls(None), dtype="float64", per="region"), None
    for refused in (
        lambda: np.asarray(x),
        lambda: x.copy(),
        lambda: (x * 2).realize(),
        lambda: y.tolist(),
        lambda: onebuf.sort(y).realize(),
        lambda: (y @ y).realize(),
        lambda: pickle.dumps(y),
        lambda: y[y > 0],
    ):
        with pytest.raises(MemoryError):
            refused()
    assert calls is None
    with onebuf.config(memory_cap=1 << 20), pytest.raises(OutOfMemory):
        on_demand((1000, 1000), lambda i, j: i + j).copy()


# -- caches ----------------------------------------------------------------------------------------


def test_a_cache_keeps_what_was_made(tier):
    x, calls = by_region(table((50, 60)), cache=1 << 16)
    x[3:5, 10:20].tolist()
    made = len(calls)
    np.testing.assert_array_equal(np.asarray(x[3:5, 10:20]), table((50, 60))[3:5, 10:20])
    assert len(calls) == made
    assert 0 < x.kept_nbytes <= 1 << 16
    x.forget()
    assert x.kept_nbytes == 0
    x[3:5, 10:20].tolist()
    assert len(calls) == 2 * made


def test_a_cache_stays_within_its_bytes():
    x, calls = by_region(table((50, 60)), cache=1000)
    for row in range(50):
        np.testing.assert_array_equal(np.asarray(x[row]), table((50, 60))[row])
        assert x.kept_nbytes <= 1000
    calls.clear()
    x[0, 0].item()
    assert calls


def test_an_expression_can_be_cached(tier):
    values = onebuf.asarray(np.arange(5.0))
    x = on_demand((4, 5), lambda i, j: values + i, cache=1 << 12)
    assert x[1].tolist() == [1, 2, 3, 4, 5]
    values[0] = 70.0
    assert x[1, 0].item() == 1.0
    x.forget()
    assert x[1, 0].item() == 71.0
    np.testing.assert_array_equal(np.asarray(x * 2)[0], [140, 2, 4, 6, 8])


# -- what it refuses -------------------------------------------------------------------------------


def test_it_cannot_be_written(tier):
    for x in (expression(), expression()[1:], by_region(table())[0]):
        before = np.asarray(x).copy()
        for write in (
            lambda x: x.__setitem__((0, 0), 1),
            lambda x: x.__setitem__([0, 1], 1),
            lambda x: x.__setitem__(..., 0),
            lambda x: x.__iadd__(1),
            lambda x: x.fill(3),
            lambda x: onebuf.add(x, 1, out=x),
        ):
            with pytest.raises((ReadOnlyError, ArgumentTypeError, ArgumentError, ValueError)):
                write(x)
        np.testing.assert_array_equal(np.asarray(x), before)
    with pytest.raises(ReadOnlyError, match=r"copy\(\)"):
        expression()[0, 0] = 1


def test_a_huge_one_refuses_writes_before_anything_is_made():
    x = on_demand(HUGE, Calls(None), dtype="float64", per="region")
    for write in (lambda: x.__setitem__([1, 2], 0), lambda: x.__iadd__(1), lambda: x.fill(0)):
        with pytest.raises(ReadOnlyError):
            write()


def test_a_copy_can_be_written(tier):
    x = expression()
    for made in (x.copy(), copy.copy(x), copy.deepcopy(x), x.copy(order="F"), x.T.copy()):
        assert type(made) is Buffer
        made[0, 0] = -1
        assert made[0, 0].item() == -1
    assert x[0, 0].item() == 0


def test_an_array_made_of_it_is_nobody_elses_memory():
    elements = np.ones((3, 4))
    x, _ = by_region(elements)
    for array in (np.asarray(x), np.asarray(x[1]), np.asarray(x + 0)):
        array[...] = 9
    assert (elements == 1).all()


@pytest.mark.parametrize(
    ("made", "error"),
    [
        (lambda box: np.ones((2, 2)), ShapeError),
        (lambda box: np.ones(box.shape)[None], ShapeError),
        (lambda box: 1.0, ShapeError),
        (lambda box: [[1.0], [1.0, 2.0]], ShapeError),
        (lambda box: np.ones(box.shape, "int32"), DTypeError),
        (lambda box: np.ones(box.shape, "float32"), DTypeError),
        (lambda box: np.full(box.shape, "a"), DTypeError),
        (lambda box: onebuf.ones(box.shape, dtype="float32"), DTypeError),
        (lambda box: None, ArgumentTypeError),
        (lambda box: "text", ArgumentTypeError),
    ],
)
def test_elements_of_another_shape_or_dtype_are_refused(tier, made, error):
    x = on_demand((5, 7), made, dtype="float64")
    y = x + 1
    for read in (lambda: y.tolist(), lambda: x[1:4, 2:5].sum().item(), lambda: np.asarray(x)):
        with pytest.raises(error, match="asked for the box"):
            read()
    with pytest.raises(error):
        y.tolist()  # it is pending, as before


def test_an_error_in_the_function_is_raised_as_it_is(tier):
    is_broken = [True]

    def fragile(first, last):
        if is_broken[0]:
            raise KeyError("broken")
        return np.zeros([high - low for low, high in zip(first, last, strict=True)])

    x = on_demand((3, 4), fragile, dtype="float64")
    y = x + 1
    total = y.sum()
    for read in (y.tolist, total.item):
        with pytest.raises(KeyError, match="broken") as caught:
            read()
        assert "fragile" in [entry.name for entry in caught.traceback]
        assert caught.value.__context__ is None
    is_broken[0] = False
    assert total.item() == 12
    assert y.tolist() == [[1] * 4] * 3


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (((3,), 5), ArgumentTypeError),
        (((-1,), lambda i: i), ShapeError),
        ((("a",), lambda i: i), ArgumentTypeError),
        (((3,), lambda i: i, None, -1), ArgumentError),
        (((3,), lambda i: i, None, 1.5), ArgumentError),
        (((3,), lambda i: i, "float32"), DTypeError),
        (((3,), lambda i: i, "nonsense"), DTypeError),
        (((3, 4), lambda i, j: i[:2]), ShapeError),
        (((3, 4), lambda i, j: onebuf.cumulative_sum(i, axis=0)), ArgumentError),
        (((3, 4), lambda i, j: (i + j).sum(axis=0)), ArgumentError),
        (((3,), lambda i: None), ArgumentTypeError),
        (((3,), lambda i: np.arange(3)), ArgumentTypeError),
        (((3,), lambda i: i if i.sum() > 2 else -i), ArgumentTypeError),
        (((3,), lambda i: np.asarray(i)), ArgumentTypeError),
        (((3, 4), lambda box: np.ones(box.shape)), ArgumentTypeError),
        (((3, 4, 5), lambda first, last: 0), ArgumentTypeError),
    ],
)
def test_wrong_arguments_are_refused_when_the_buffer_is_made(arguments, error):
    with pytest.raises(error):
        on_demand(*arguments)


def test_per_needs_one_of_its_words():
    with pytest.raises(ArgumentError, match="region"):
        on_demand(3, lambda i: i, per="tile")


def test_an_error_in_an_expression_is_raised_when_the_buffer_is_made():
    with pytest.raises(ZeroDivisionError):
        on_demand((3, 4), lambda i, j: i / (1 // 0))


# -- which kind of function it is ------------------------------------------------------------------


def boxed(box):
    return np.full(box.shape, 2.0)


def cornered(first, last):
    return np.full([b - a for a, b in zip(first, last, strict=True)], 2.0)


class Method:
    def make(self, box):
        return boxed(box)

    def __call__(self, first, last):
        return cornered(first, last)


@pytest.mark.parametrize("shape", [(3,), (3, 4), (2, 3, 4), ()])
@pytest.mark.parametrize("fn", [boxed, cornered, Method().make, Method(), lambda box: boxed(box)])
def test_a_region_function_takes_a_box_or_two_corners(shape, fn):
    x = on_demand(shape, fn, dtype="float64")
    assert x.sum().item() == 2.0 * np.prod(shape)


@pytest.mark.parametrize("lists", [lambda a, b: [[0.5] * 4] * 3, lambda r: [[1, 2, 3, 4]] * 3])
def test_a_function_that_fails_on_index_buffers_is_called_by_region(lists):
    assert on_demand((3, 4), lists, dtype="float64").shape == (3, 4)
    assert len(on_demand((3, 4), lists, dtype="float64").tolist()) == 3


def test_per_says_which_kind_of_function_it_is():
    seen = []

    def both(first, last):
        seen.append(first)
        return first + last

    assert on_demand((2, 2), both, per="element").tolist() == [[0, 1], [1, 2]]
    seen.clear()
    x = on_demand((2, 2), both, dtype="int64", per="region")
    assert seen == []
    with pytest.raises(ShapeError):
        x.tolist()


# -- looking at it ---------------------------------------------------------------------------------


def test_looking_at_it_makes_nothing():
    x = on_demand(HUGE, Calls(None), dtype="float32", per="region")
    assert repr(x).startswith("OnDemandBuffer(<on demand>, shape=(1000000, 1000000)")
    assert "<on demand>" in str(x)
    assert (x.shape, x.nbytes, len(x), x.ndim) == (HUGE, 4 * 10**12, 10**6, 2)
    assert not x.is_realized
    assert not x.flags.writeable
    assert isinstance(x[3:], OnDemandBuffer)
    assert x[3:].base is x


def test_a_few_elements_are_shown_as_text():
    assert str(on_demand(3, lambda i: i * 2)) == "[0 2 4]"


def test_a_pickle_has_the_elements():
    made = pickle.loads(pickle.dumps(expression()))
    assert type(made) is Buffer
    np.testing.assert_array_equal(np.asarray(made), table())


def test_rows_of_it_are_gone_through_one_by_one():
    x, calls = by_region(table())
    first = next(iter(x))
    assert isinstance(first, OnDemandBuffer)
    assert calls == []
    assert [row.tolist() for row in x] == table().tolist()


# -- threads ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("cache", [0, 1 << 14])
def test_threads_read_at_the_same_time(cache):
    x, _ = by_region(table((40, 50)), cache=cache)
    y = on_demand((40, 50), lambda i, j: i * 10 + j, cache=cache)
    expected = table((40, 50))
    wrong = []

    def work(seed):
        random = np.random.default_rng(seed)
        try:
            for _ in range(30):
                row = int(random.integers(0, 39))
                for buffer in (x, y):
                    np.testing.assert_array_equal(np.asarray(buffer[row:]), expected[row:])
                    assert (buffer[row] * 2).sum().item() == 2 * expected[row].sum()
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong, wrong[0]


def test_a_region_function_may_compute_with_buffers_and_wait_for_threads(tier):
    def make(box):
        found = []
        helper = threading.Thread(target=lambda: found.append((onebuf.arange(7.0) * 2).tolist()))
        helper.start()
        helper.join(60)
        assert found
        return (onebuf.ones(box.shape, dtype="float64") * 3 + found[0][1]).realize()

    x = on_demand((4, 5), make, dtype="float64")
    assert (x + 1).sum().item() == 20 * 6.0
