"""Random numbers: the published bits, the same everywhere, and distributed as they should be."""

from __future__ import annotations

import math

import numpy as np
import pytest
from buffer.cases import lazily
from hypothesis import given, settings
from hypothesis import strategies as st

import onebuf
from onebuf import Buffer, dtypes
from onebuf.errors import ArgumentError, ArgumentTypeError, DTypeError
from onebuf.ops.random.philox import philox4x32, random_words
from onebuf.random import LazyGenerator as Generator

FLOATS = [d for d in dtypes.ALL if dtypes.kind(d) == "f"]
WHOLE = [d for d in dtypes.ALL if dtypes.kind(d) in "iu"]
MANY = 20_000


def words(x) -> str:
    return " ".join(f"{int(word):08x}" for word in x)


# The bits


@pytest.mark.parametrize(
    "counter, key, wanted",
    [
        ((0, 0, 0, 0), (0, 0), "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
        (
            (0xFFFFFFFF,) * 4,
            (0xFFFFFFFF,) * 2,
            "408f276d 41c83b0e a20bc7c6 6d5451fd",
        ),
        (
            (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
            (0xA4093822, 0x299F31D0),
            "d16cfe09 94fdcceb 5001e420 24126ea1",
        ),
    ],
)
def test_philox_gives_the_known_answers(counter, key, wanted):
    assert words(philox4x32(np.array([counter], np.uint64), key)[0]) == wanted


def test_a_stream_starts_with_the_known_answer():
    out = np.empty(4, np.uint32)
    random_words((0, 0), 0, 0, out)
    assert words(out) == "6627e8d5 e169c58d bc57ac4c 9b00dbd8"


@settings(deadline=None)
@given(first=st.integers(0, 70_000), count=st.integers(0, 300), stream=st.integers(0, 2**40))
def test_any_part_of_a_stream_is_that_part(first, count, stream):
    whole, part = np.empty(first + count, np.uint32), np.empty(count, np.uint32)
    random_words((5, 6), stream, 0, whole)
    random_words((5, 6), stream, first, part)
    np.testing.assert_array_equal(part, whole[first:])


def test_a_stream_is_long():
    one, two = np.empty(8, np.uint32), np.empty(8, np.uint32)
    random_words((1, 2), 0, 1 << 40, one)
    random_words((1, 2), 0, 0, two)
    assert not (one == two).any()


# Seeds


DRAWS = {
    "uniform": lambda g: g.uniform((50,)),
    "uniform float32": lambda g: g.uniform((50,), dtype="float32"),
    "uniform bfloat16": lambda g: g.uniform((50,), dtype="bfloat16"),
    "uniform between": lambda g: g.uniform(-3, 5, (50,)),
    "uniform below bounds": lambda g: g.uniform(0.0, Buffer([1.0, 20.0]), (25, 2)),
    "random": lambda g: g.random((5, 10)),
    "rand": lambda g: g.rand(5, 10),
    "normal": lambda g: g.normal((51,)),
    "normal float32": lambda g: g.normal(1, 2, (50,), "float32"),
    "normal around arrays": lambda g: g.normal(np.arange(50.0), 0.5),
    "standard_normal": lambda g: g.standard_normal(7),
    "randn": lambda g: g.randn(50),
    "integers": lambda g: g.integers(0, 1000, (50,)),
    "integers int16": lambda g: g.integers(-50, 1000, (50,), "int16"),
    "integers below arrays": lambda g: g.integers(0, np.arange(100, 150)),
    "randint": lambda g: g.randint(1000, size=50),
    "permutation": lambda g: g.permutation(50),
}
every_draw = pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)


@every_draw
def test_one_seed_gives_the_same_bits_always(draw):
    assert draw(Generator(7)).to_python() == draw(Generator(7)).to_python()


@every_draw
def test_another_seed_gives_other_bits(draw):
    assert draw(Generator(7)).to_python() != draw(Generator(8)).to_python()


@every_draw
def test_no_seed_gives_other_bits_every_time(draw):
    assert draw(Generator()).to_python() != draw(Generator()).to_python()


@every_draw
def test_two_draws_differ(draw):
    generator = Generator(7)
    assert draw(generator).to_python() != draw(generator).to_python()


@every_draw
def test_the_bits_are_the_same_at_once_and_later(draw):
    at_once = np.array(draw(Generator(7)).unwrap())
    with lazily():
        later = np.array(draw(Generator(7)).unwrap())
    assert at_once.tobytes() == later.tobytes()


@every_draw
def test_draws_made_ahead_are_the_same(draw):
    one, two = Generator(8), Generator(8)
    for _ in range(30):  # more than are made ahead at first
        at_once = np.array(draw(one).unwrap())
        with lazily():
            later = np.array(draw(two).unwrap())
        assert at_once.tobytes() == later.tobytes()


def test_draws_made_ahead_are_nobody_elses():
    generator = Generator(7)
    drawn = [generator.uniform(size=4) for _ in range(40)]
    before = [one.to_python() for one in drawn]
    for one in drawn:
        one[...] = 0
    generator.seed(7)
    assert [generator.uniform(size=4).to_python() for _ in range(40)] == before


def test_kinds_of_small_draws_do_not_disturb_one_another():
    def some(generator, size):
        calls = (generator.uniform, generator.standard_normal, generator.random)
        return [calls[i % 3](size=size).to_python() for i in range(60)]

    small = some(Generator(5), 6)
    with lazily():
        assert some(Generator(5), 6) == small


@every_draw
def test_seeding_starts_again(draw):
    generator = Generator(7)
    first = draw(generator).to_python()
    generator.seed(7)
    assert draw(generator).to_python() == first


def test_results_do_not_depend_on_the_size_of_earlier_draws():
    one, two = Generator(7), Generator(7)
    one.uniform((3,))
    two.uniform((3000,))
    assert one.normal((5,)).to_python() == two.normal((5,)).to_python()


def test_a_longer_uniform_starts_with_the_shorter():
    long, short = Generator(7).uniform((100,)), Generator(7).uniform((10,))
    assert long[:10].to_python() == short.to_python()


@pytest.mark.parametrize("seed", [0, 1, 2**32, 2**64 - 1])
def test_every_seed_of_64_bits_is_another(seed):
    draws = {tuple(Generator(s).uniform((4,)).to_python()) for s in (seed, seed ^ 1, seed ^ 2**40)}
    assert len(draws) == 3


def test_the_namespace_and_the_factories_share_one_seed():
    onebuf.random.seed(11)
    one = [Buffer.uniform((3,)).to_python(), onebuf.random.normal(size=3, dtype="f4").to_python()]
    onebuf.random.seed(11)
    two = [onebuf.random.uniform((3,), dtype="f4").to_python(), Buffer.normal((3,)).to_python()]
    assert one == two


# Splitting


def test_split_generators_share_no_number():
    parts = [g.uniform((100,), dtype="float64").to_python() for g in Generator(7).split(5)]
    assert len({x for part in parts for x in part}) == 500


def test_splitting_is_a_function_of_the_seed():
    one, two = (Generator(7).split(3) for _ in range(2))
    assert [g.uniform((2,)).to_python() for g in one] == [g.uniform((2,)).to_python() for g in two]


def test_splitting_moves_the_parent_on():
    generator = Generator(7)
    first = generator.split(2)[0].uniform((4,)).to_python()
    second = generator.split(2)[0].uniform((4,)).to_python()
    assert first != second


# Distributions


def distance(sample, cumulative):
    """The largest distance between the distribution of a sample and the one it should have."""
    ordered = np.sort(np.asarray(sample, np.float64).ravel())
    steps = np.arange(ordered.size + 1) / ordered.size
    wanted = cumulative(ordered)
    return max(np.abs(wanted - steps[:-1]).max(), np.abs(wanted - steps[1:]).max())


def normal_cumulative(x):
    return np.array([0.5 * (1 + math.erf(one / math.sqrt(2))) for one in x])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_uniform_is_even(dtype, seed):
    sample = Generator(seed).uniform((MANY,), dtype=dtype)
    assert distance(sample, lambda x: x) < 1.95 / math.sqrt(MANY)  # one in a thousand fails
    assert np.asarray(sample).mean() == pytest.approx(0.5, abs=0.01)
    assert np.asarray(sample).var() == pytest.approx(1 / 12, abs=0.003)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_normal_is_normal(dtype, seed):
    sample = np.asarray(Generator(seed).normal((MANY,), dtype=dtype), np.float64)
    assert distance(sample, normal_cumulative) < 1.95 / math.sqrt(MANY)
    assert sample.mean() == pytest.approx(0, abs=0.03)
    assert sample.var() == pytest.approx(1, abs=0.05)
    assert (sample**3).mean() == pytest.approx(0, abs=0.1)
    assert (sample**4).mean() == pytest.approx(3, abs=0.3)
    assert np.abs(sample).max() > 3.3


def test_normal_is_scaled_and_shifted():
    sample = np.asarray(Generator(1).normal(5.0, 0.25, MANY))
    assert sample.mean() == pytest.approx(5.0, abs=0.01)
    assert sample.std() == pytest.approx(0.25, abs=0.01)


def test_neighbours_are_independent():
    for draw in ("uniform", "normal"):
        x = np.asarray(getattr(Generator(4), draw)((MANY,), dtype="float64"))
        for lag in (1, 2, MANY // 2):
            assert abs(np.corrcoef(x[:-lag], x[lag:])[0, 1]) < 0.04


@pytest.mark.parametrize("low, high", [(0, 10), (-5, 5), (100, 101), (-(2**62), 2**62)])
def test_integers_are_in_range_and_even(low, high):
    sample = np.asarray(Generator(5).integers(low, high, (MANY,)))
    assert sample.min() >= low
    assert sample.max() < high
    if high - low == 10:
        counts = np.bincount(sample - low, minlength=10)
        assert ((counts - MANY / 10) ** 2 / (MANY / 10)).sum() < 27.9  # chi squared, one in 1000


@pytest.mark.parametrize("dtype", WHOLE, ids=str)
def test_integers_cover_every_whole_dtype(dtype):
    info = np.iinfo(dtype)
    sample = Generator(5).integers(info.min, int(info.max) + 1, (2000,), dtype)
    assert sample.dtype == dtype
    values = np.asarray(sample).astype(np.float64)
    middle = (float(info.min) + float(info.max)) / 2
    assert values.min() < middle < values.max()
    assert values.mean() == pytest.approx(middle, abs=0.1 * (float(info.max) - float(info.min)))


def test_integers_of_one_bound_start_at_zero():
    sample = np.asarray(Generator(5).integers(3, shape=(200,)))
    assert set(sample.tolist()) == {0, 1, 2}


def test_a_large_range_keeps_its_low_bits():
    sample = np.asarray(Generator(5).integers(0, 2**63 - 1, (1000,)))
    assert 0.4 < (sample & 1).mean() < 0.6


# Ranges and types


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("low, high", [(0.0, 1.0), (-2.0, 3.0), (1.0, 2.0)])
def test_uniform_is_at_least_low_and_below_high(dtype, low, high):
    sample = Generator(6).uniform(low, high, MANY, dtype)
    assert sample.dtype == dtype
    values = np.asarray(sample.astype("float64"))
    assert values.min() >= low
    assert values.max() < high


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_normal_is_finite_in_every_dtype(dtype):
    sample = Generator(6).normal((MANY,), dtype=dtype)
    assert sample.dtype == dtype
    assert np.isfinite(np.asarray(sample.astype("float64"))).all()


@pytest.mark.parametrize("dtype, levels", [("float32", 15_000), ("float64", MANY)])
def test_floats_use_their_bits(dtype, levels):
    assert len(set(Generator(6).uniform((MANY,), dtype=dtype).to_python())) >= levels


@pytest.mark.parametrize("shape", [(), (0,), (2, 3), 4, [3, 1], (1, 0, 2)])
@pytest.mark.parametrize("draw", ["uniform", "normal"])
def test_shapes_are_what_was_asked_for(draw, shape):
    extents = (shape,) if isinstance(shape, int) else tuple(shape)
    assert getattr(Generator(1), draw)(size=shape).shape == extents
    assert getattr(Generator(1), draw)(shape=shape).shape == extents
    assert getattr(Generator(1), draw)(extents).shape == extents
    assert Generator(1).integers(0, 5, shape).shape == extents


# NumPy's order of arguments


def test_the_order_of_arguments_is_numpys():
    x = onebuf.random.normal(0, 1, 1000)
    assert (x.shape, x.dtype) == ((1000,), "float64")
    assert abs(x.mean()) < 0.2
    assert 0.8 < x.std() < 1.2
    y = onebuf.random.uniform(10, 20, (30, 4))
    assert (y.shape, y.dtype) == ((30, 4), "float64")
    assert y.min() >= 10
    assert y.max() < 20
    assert onebuf.random.normal(100.0, 0.1, 5).min() > 99


def test_no_size_gives_a_number():
    for draw in (onebuf.random.uniform, onebuf.random.normal, onebuf.random.random):
        assert type(draw()) is float
    assert type(onebuf.random.rand()) is type(onebuf.random.randn()) is float
    assert type(onebuf.random.integers(5)) is type(onebuf.random.randint(5)) is int
    assert 90 < onebuf.random.normal(100) < 110
    assert 4 <= onebuf.random.uniform(4, 5) < 5
    assert 0 <= onebuf.random.uniform(0) < 1


def test_one_whole_number_for_uniform_is_how_many():
    assert onebuf.random.uniform(16).shape == (16,)


def test_a_tuple_alone_is_a_shape():
    assert onebuf.random.uniform((2, 3)).shape == (2, 3)
    assert onebuf.random.normal((2, 3), dtype="float32").dtype == "float32"
    assert onebuf.random.normal((2000,), mean=50.0, std=0.1).mean() == pytest.approx(50, abs=0.1)


def test_parameters_can_be_arrays():
    around = Generator(3).normal([0.0, 100.0], Buffer([0.1, 1.0]), (500, 2))
    np.testing.assert_allclose(around.mean(axis=0).to_python(), [0, 100], atol=0.3)
    np.testing.assert_allclose(around.std(axis=0).to_python(), [0.1, 1.0], rtol=0.2)
    assert Generator(3).normal((0, 100), (1, 2), (500, 2)).shape == (500, 2)
    between = np.asarray(Generator(3).uniform(np.arange(3.0), np.arange(3.0) + 0.5, (500, 3)))
    assert (between >= np.arange(3.0)).all()
    assert (between <= np.arange(3.0) + 0.5).all()
    whole = np.asarray(Generator(3).integers([0, -5], [3, 5], (500, 2), endpoint=True))
    assert (whole.min(axis=0), whole.max(axis=0)) == (pytest.approx([0, -5]), pytest.approx([3, 5]))


def test_the_default_dtype_is_the_namespaces():
    assert onebuf.random.normal(0, 1, 3).dtype == "float64"
    with onebuf.config(default_float="float32"):
        assert onebuf.random.normal(0, 1, 3).dtype == "float32"
        assert onebuf.random.rand(3).dtype == "float32"
    assert onebuf.random.randint(0, 9, 3).dtype == "int64"


def test_a_large_draw_is_lazy_and_fused():
    x = onebuf.random.normal(0, 1, 200_000)
    assert not x.is_realized
    assert x.sum().item() == pytest.approx(np.asarray(x).sum())


@pytest.mark.parametrize("seed", [np.int64(5), [1, 2, 3], np.array([1, 2]), Buffer([1, 2])])
def test_seeds_are_what_numpy_takes(seed):
    onebuf.random.seed(seed)
    first = onebuf.random.rand(3).to_python()
    onebuf.random.seed(seed)
    assert onebuf.random.rand(3).to_python() == first


# Permutations


def test_other_axes_are_permuted_too():
    x = np.arange(12).reshape(3, 4)
    shuffled = np.asarray(Generator(2).permutation(x, axis=1))
    assert sorted(shuffled.T.tolist()) == x.T.tolist()


@pytest.mark.parametrize("count", [0, 1, 2, 10, 1000])
def test_a_permutation_has_every_number_once(count):
    order = Generator(9).permutation(count)
    assert sorted(order.to_python()) == list(range(count))
    assert order.dtype == "int64"


def test_permutations_are_all_as_likely():
    generator = Generator(9)
    counts: dict[tuple[int, ...], int] = {}
    for _ in range(1200):
        order = tuple(generator.permutation(3).to_python())
        counts[order] = counts.get(order, 0) + 1
    assert len(counts) == 6
    assert all(140 < count < 260 for count in counts.values())


def test_rows_of_a_buffer_are_permuted():
    x = Buffer([[1, 2], [3, 4], [5, 6], [7, 8]])
    shuffled = Generator(2).permutation(x)
    assert sorted(shuffled.to_python()) == x.to_python()
    assert x.to_python() == [[1, 2], [3, 4], [5, 6], [7, 8]]


# Mistakes


@pytest.mark.parametrize(
    "kind, does, says",
    [
        (ArgumentTypeError, lambda g: Generator("x"), "'x'"),
        (ArgumentTypeError, lambda g: g.seed(1.5), "1.5"),
        (ArgumentError, lambda g: Generator(-1), "-1"),
        (ArgumentError, lambda g: g.seed(2**64), str(2**64)),
        (ArgumentError, lambda g: g.split(0), "0"),
        (ArgumentError, lambda g: g.permutation(-3), "-3"),
        (ArgumentError, lambda g: g.normal(0, -1.0, 2), "-1.0"),
        (ArgumentError, lambda g: g.integers(5, 5), "low=5 and high=5"),
        (ArgumentError, lambda g: g.integers(0, 300, (2,), "uint8"), "300"),
        (ArgumentError, lambda g: g.integers(0), "high=0"),
        (DTypeError, lambda g: g.integers(0, 5, (2,), "float32"), "float32"),
        (DTypeError, lambda g: g.uniform((2,), dtype="int32"), "int32"),
        (DTypeError, lambda g: g.normal((2,), dtype="complex64"), "complex64"),
        (ValueError, lambda g: g.uniform((-1,)), "-1"),
        (ArgumentTypeError, lambda g: g.uniform((50,), -3, 5), "size=(50,)"),
        (ArgumentTypeError, lambda g: g.normal((50,), 1.0), "loc=[50]"),
        (ArgumentTypeError, lambda g: g.normal(size=2, shape=2), "both"),
        (ArgumentTypeError, lambda g: g.normal(1.0, mean=1.0), "both"),
        (ArgumentTypeError, lambda g: g.integers(0.5, 3), "0.5"),
        (ArgumentError, lambda g: g.uniform(5, 1, 3), "low=5.0"),
        (ArgumentError, lambda g: g.normal(0.0, [1.0, -1.0]), "scale < 0"),
        (ArgumentError, lambda g: g.integers([1, 5], 3), "low < high"),
        (ArgumentError, lambda g: g.normal([1.0, 2.0], 1.0, 3), "(3,)"),
        (ArgumentError, lambda g: g.seed([-1, 2]), "-1"),
    ],
)
def test_mistakes_say_what_came(kind, does, says):
    generator = Generator(7)
    with pytest.raises(kind) as caught:
        does(generator)
    assert isinstance(caught.value, onebuf.OnebufError)
    assert says in str(caught.value)
