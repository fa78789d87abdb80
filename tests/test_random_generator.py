"""NumPy's generators with buffers: NumPy's numbers for the same seed, in buffers."""

from __future__ import annotations

import copy
import inspect
import pickle

import numpy as np
import pytest
from buffer.cases import lazily

import onebuf
from onebuf import Buffer
from onebuf.errors import ArgumentTypeError, DeviceError
from onebuf.random import Generator, RandomState, default_rng

P = [0.2, 0.3, 0.5]
COV = [[2.0, 0.5], [0.5, 1.0]]

# name: calls, as text, that both libraries understand
CALLS = """
beta(2.0, 3.0, 5); binomial(10, 0.3, (2, 3)); binomial([5, 6], 0.5); bytes(7); chisquare(3, 4)
choice(10, 4); choice(10, 4, replace=False); choice([1.5, 2.5, 3.5], (2, 2), p=P); choice(5)
choice(3, 5, p=P); dirichlet([1.0, 2.0, 3.0], 4); exponential(2.0, 5); exponential()
f(3, 4, 5); gamma(2.0, 3.0, 5); geometric(0.3, 6); gumbel(1.0, 2.0, 5)
hypergeometric(5, 6, 4, 5); laplace(1.0, 2.0, 5); logistic(1.0, 2.0, 5); lognormal(0.5, 0.2, 5)
logseries(0.4, 5); multinomial(20, P); multinomial(20, P, 3); multivariate_normal([0.0, 1.0], COV)
multivariate_normal([0.0, 1.0], COV, 5); negative_binomial(4, 0.5, 5)
noncentral_chisquare(3, 2.0, 5); noncentral_f(3, 4, 2.0, 5); normal(); normal(2.0, 3.0, (2, 3))
normal([1.0, 2.0], [0.1, 0.2], (3, 2)); pareto(3.0, 5); permutation(8); permutation([3, 4, 5])
poisson(4.0, 5); poisson([1.0, 10.0]); power(3.0, 5); random(); random(4); random((2, 3)); random(0)
rayleigh(2.0, 5); standard_cauchy(5); standard_exponential(5); standard_gamma(2.0, 5)
standard_normal(); standard_normal((3, 2)); standard_t(4, 5); triangular(0.0, 1.0, 3.0, 5)
uniform(); uniform(2.0, 3.0, 5); uniform([0.0, 1.0], 2.0); uniform(-1, 1, size=(2, 2))
vonmises(0.0, 2.0, 5); wald(1.0, 2.0, 5); weibull(2.0, 5); zipf(3.0, 5); normal(size=())
"""
SHARED = [call.strip() for call in CALLS.replace("\n", ";").split(";") if call.strip()]
NEW = [
    "integers(5)",
    "integers(1, 7, 10)",
    "integers(0, 255, 9, np.uint8, endpoint=True)",
    "integers([0, 5], [5, 10])",
    "choice([[1, 2], [3, 4], [5, 6]], 2, axis=0, shuffle=False)",
    "multivariate_hypergeometric([5, 6, 7], 4, 3)",
    "permuted([[1, 2, 3], [4, 5, 6]], axis=1)",
    "permutation([[1, 2, 3], [4, 5, 6]], axis=1)",
    "random(5, dtype=np.float32)",
    "random(5, np.float32)",
    "standard_normal(5, dtype='float32')",
    "standard_exponential(5, method='inv')",
    "standard_exponential(5, np.float32, 'zig')",
    "standard_gamma(2.0, 5, np.float32)",
]
OLD = [
    "rand()",
    "rand(2, 3)",
    "randn(2, 3)",
    "randint(5)",
    "randint(1, 7, 10)",
    "randint(0, 100, 5, np.uint8)",
    "random_sample(5)",
    "random_sample()",
    "tomaxint(3)",
]


def agree(mine, numpys):
    """The same values and dtypes, in a buffer where NumPy has an array."""
    if isinstance(numpys, np.ndarray):
        assert isinstance(mine, Buffer)
        assert (mine.dtype, mine.shape) == (numpys.dtype, numpys.shape)
        np.testing.assert_array_equal(np.asarray(mine), numpys)
    else:
        assert type(mine) is type(numpys)
        assert mine == numpys


def called(generator, call):
    return eval(f"generator.{call}", {"generator": generator, "np": np, "P": P, "COV": COV})


@pytest.mark.parametrize("call", SHARED + NEW)
def test_a_generator_gives_numpys_numbers(call):
    mine, numpys = default_rng(3), np.random.default_rng(3)
    for _ in range(2):
        agree(called(mine, call), called(numpys, call))


@pytest.mark.parametrize("call", SHARED + OLD)
def test_a_random_state_gives_numpys_numbers(call):
    mine, numpys = RandomState(3), np.random.RandomState(3)
    for _ in range(2):
        agree(called(mine, call), called(numpys, call))


@pytest.mark.parametrize("size", [20_000, (200, 100)])
@pytest.mark.parametrize(
    "call",
    [
        *("normal(2.5, 3.5, SIZE)", "normal(0, 1, SIZE)", "uniform(-2.5, 7.25, SIZE)"),
        *("uniform(size=SIZE)", "standard_normal(SIZE)", "random(SIZE)", "exponential(3, SIZE)"),
        *("normal(1, 0, SIZE)", "uniform(1, 1, SIZE)", "random(SIZE, np.float32)"),
    ],
)
def test_large_draws_are_numpys_to_the_bit(call, size):
    call = call.replace("SIZE", repr(size))
    agree(called(default_rng(3), call), called(np.random.default_rng(3), call))


def test_every_public_name_of_numpys_is_there():
    for mine, numpys in ((Generator, np.random.Generator), (RandomState, np.random.RandomState)):
        names = [name for name in dir(numpys) if not name.startswith("_")]
        assert [name for name in names if not hasattr(mine, name)] == []
        give_arrays = set(names) - {"bit_generator", "bytes", "get_state", "seed", "set_state"}
        inherited = {n for n in give_arrays if getattr(mine, n) is getattr(numpys, n)} - {"spawn"}
        assert inherited == set()
    assert set(np.random.__all__) - set(onebuf.random.__all__) == set()
    assert [name for name in onebuf.random.__all__ if not hasattr(onebuf.random, name)] == []
    assert dir(onebuf.random) == sorted(onebuf.random.__all__)


@pytest.mark.parametrize("name", [n for n in np.random.__all__ if n[0].islower()])
def test_functions_take_numpys_arguments_in_numpys_order(name):
    wanted = list(inspect.signature(getattr(np.random, name)).parameters)
    mine = list(inspect.signature(getattr(onebuf.random, name)).parameters)
    if name in ("rand", "randn", "ranf", "sample"):  # which take any number of arguments in NumPy
        assert mine[0] in ("shape", "size")
    else:
        assert mine[: len(wanted)] == [{"x1": "x"}.get(one, one) for one in wanted]


# Buffers as arguments


def test_parameters_can_be_buffers():
    mine, numpys = default_rng(4), np.random.default_rng(4)
    agree(
        mine.normal(Buffer([1.0, 2.0]), scale=Buffer([0.5, 0.1])),
        numpys.normal(np.float32([1, 2]), scale=np.float32([0.5, 0.1])),
    )
    agree(mine.poisson(onebuf.asarray([1.0, 9.0]), (3, 2)), numpys.poisson([1.0, 9.0], (3, 2)))
    p = onebuf.asarray(P)
    agree(mine.choice(Buffer([5, 6, 7]), 4, p=p), numpys.choice(np.int32([5, 6, 7]), 4, p=P))
    agree(mine.choice(onebuf.asarray([5, 6, 7])), numpys.choice(np.array([5, 6, 7])))
    agree(mine.multinomial(9, p), numpys.multinomial(9, P))
    agree(mine.permutation(onebuf.asarray([[1, 2], [3, 4]])), numpys.permutation([[1, 2], [3, 4]]))


def test_pending_buffers_are_computed():
    with lazily():
        where = Buffer([1.0, 2.0]) * 2
        assert not where.is_realized
        agree(default_rng(1).normal(where), np.random.default_rng(1).normal(np.float32([2, 4])))


def test_elements_elsewhere_are_refused():
    with pytest.raises(DeviceError, match="PYTHON"):
        default_rng(1).poisson(Buffer([1.0, 2.0], device="PYTHON"))


@pytest.mark.parametrize("dtype", ["float32", "int8", "bool", "complex128", "bfloat16"])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("make", [default_rng, RandomState])
def test_shuffle_is_in_place_and_numpys(make, axis, dtype):
    x = Buffer(np.arange(24).reshape(6, 4), dtype=dtype, copy=True)
    wanted = np.array(x)
    numpys = np.random.default_rng(2) if make is default_rng else np.random.RandomState(2)
    arguments = (axis,) if make is default_rng else ()
    assert make(2).shuffle(x, *arguments) is None
    numpys.shuffle(wanted, *arguments)
    assert np.array_equal(np.asarray(x), wanted)


def test_shuffle_takes_views_lists_and_arrays():
    x = Buffer([0, 1, 2, 3, 4, 5, 6, 7], dtype="int64")
    default_rng(2).shuffle(x[::2])
    wanted = np.arange(8)
    np.random.default_rng(2).shuffle(wanted[::2])
    assert x.to_python() == wanted.tolist()
    numbers, array = list(range(9)), np.arange(9)
    default_rng(2).shuffle(numbers)
    default_rng(2).shuffle(array)
    assert sorted(numbers) == sorted(array.tolist()) == list(range(9))


def test_shuffle_keeps_order_with_pending_readers():
    x = Buffer(list(range(50)))
    with lazily():
        waiting = x + 1
        default_rng(2).shuffle(x)
        assert waiting.to_python() == list(range(1, 51))
    assert x.to_python() != list(range(50))


def test_shuffle_refuses_read_only_memory():
    x = onebuf.asarray(b"abcdef")
    with pytest.raises(ValueError, match="read-only"):
        default_rng(2).shuffle(x)


def test_out_is_written_and_comes_back():
    for name in ("random", "standard_normal", "standard_exponential"):
        x = Buffer.zeros((3, 4), dtype="float64")
        assert getattr(default_rng(5), name)(out=x) is x
        assert np.array_equal(np.asarray(x), getattr(np.random.default_rng(5), name)((3, 4)))
        array = np.zeros(3)
        assert getattr(default_rng(5), name)(out=array) is array
    x, wanted = Buffer.zeros((4, 3), dtype="int64"), np.random.default_rng(5)
    rows = np.arange(12).reshape(4, 3)
    assert default_rng(5).permuted(onebuf.asarray(rows), axis=0, out=x) is x
    assert np.array_equal(np.asarray(x), wanted.permuted(rows, axis=0))
    with lazily():
        y = Buffer.zeros((5,), dtype="float64")
        waiting = y + 1
        default_rng(5).random(out=y)
        assert waiting.to_python() == [1.0] * 5


def test_results_are_memory_of_their_own():
    rng = default_rng(5)
    drawn = [rng.random(6) for _ in range(4)]
    before = [x.to_python() for x in drawn]
    drawn[0][...] = 0
    assert [x.to_python() for x in drawn[1:]] == before[1:]
    rows = np.arange(4)
    rng.permuted(rows)[...] = 9
    assert rows.tolist() == [0, 1, 2, 3]


# Making, copying, sharing


def test_default_rng_takes_what_numpys_takes():
    bits = np.random.PCG64(9)
    shared = np.random.default_rng(9)
    for seed, wanted in (
        (9, 9),
        (np.int64(9), 9),
        ([1, 2], [1, 2]),
        (Buffer([1, 2]), [1, 2]),
        (np.random.SeedSequence(9), np.random.SeedSequence(9)),
        (bits, np.random.PCG64(9)),
        (shared, np.random.default_rng(9)),
    ):
        agree(default_rng(seed).random(3), np.random.default_rng(wanted).random(3))
    mine = default_rng(9)
    assert default_rng(mine) is mine
    assert default_rng().random() != default_rng().random()


def test_a_generator_is_one_of_numpys():
    rng = default_rng(1)
    assert isinstance(rng, np.random.Generator)
    assert isinstance(RandomState(1), np.random.RandomState)
    agree(Generator(onebuf.random.MT19937(7)).random(3), generator_of_numpy(7).random(3))
    assert isinstance(rng.bit_generator, onebuf.random.PCG64)
    assert np.random.default_rng(rng) is rng


def generator_of_numpy(seed):
    return np.random.Generator(np.random.MT19937(seed))


def test_a_generator_needs_a_bit_generator():
    with pytest.raises(ArgumentTypeError, match=r"default_rng\(7\)"):
        Generator(7)


@pytest.mark.parametrize(
    "clone", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
def test_copies_go_on_from_the_same_place(clone):
    for made in (default_rng(6), RandomState(6)):
        made.normal(size=3)
        twin = clone(made)
        assert type(twin) is type(made)
        if isinstance(made, Generator) and clone is copy.copy:  # NumPy's share their bits
            continue
        assert twin.normal(size=4).to_python() == made.normal(size=4).to_python()


def test_spawned_generators_are_numpys():
    mine, numpys = default_rng(8).spawn(2), np.random.default_rng(8).spawn(2)
    for one, other in zip(mine, numpys, strict=True):
        assert isinstance(one, Generator)
        agree(one.random(3), other.random(3))


# The functions of the module


def test_distributions_of_the_module_repeat_after_seed():
    for call in (
        lambda r: r.poisson(3.0, 5),
        lambda r: r.choice(Buffer([1, 2, 3]), 5),
        lambda r: r.exponential(size=4),
    ):
        onebuf.random.seed(5)
        first = call(onebuf.random).to_python()
        assert call(onebuf.random).to_python() != first or len(set(first)) < 3
        onebuf.random.seed(5)
        assert call(onebuf.random).to_python() == first


def test_distributions_of_the_module_are_numpys_after_seed():
    for seed in (5, 2**40 + 3):
        onebuf.random.seed(seed)
        words = seed if seed < 2**32 else [seed & 0xFFFFFFFF, seed >> 32]
        agree(onebuf.random.gamma(2.0, 3.0, 4), np.random.RandomState(words).gamma(2.0, 3.0, 4))


def test_the_state_of_the_module_can_be_restored():
    onebuf.random.seed(5)
    onebuf.random.rand(3)
    onebuf.random.poisson(3.0, 5)
    state = onebuf.random.get_state()

    def some():
        parts = [onebuf.random.rand(4), onebuf.random.poisson(9.0, 9), onebuf.random.randn(2)]
        return [part.to_python() for part in parts]

    first = some()
    assert some() != first
    onebuf.random.set_state(state)
    assert some() == first
    with pytest.raises(ArgumentTypeError, match="RandomState"):
        onebuf.random.set_state(np.random.RandomState(1).get_state())


def test_shuffle_of_the_module_is_in_place():
    x = Buffer(list(range(30)))
    onebuf.random.shuffle(x)
    assert sorted(x.to_python()) == list(range(30)) != x.to_python()


# Mistakes


@pytest.mark.parametrize(
    "call",
    [
        *("normal(0, -1, 3)", "normal(0, -1, 30_000)", "uniform(2, 1, 30_000)", "poisson(-1)"),
        *("choice(0)", "choice(3, 5, replace=False)", "choice([1, 2], p=[0.5, 0.6])"),
        *("random(-1)", "random((2, -1))", "random('x')", "random(3, dtype=int)"),
        *("integers(5, 5)", "integers(0, 300, 3, np.uint8)", "binomial(5, 1.5)"),
        *("normal([1.0, 2.0], 1.0, 3)", "multinomial(5, [0.9, 0.9, 0.1])", "shuffle(5)"),
        *("uniform(0, np.inf, 30_000)", "random(2.5)", "permutation(2.5)"),
    ],
)
def test_mistakes_are_numpys(call):
    with pytest.raises(Exception) as wanted:
        called(np.random.default_rng(1), call)
    with pytest.raises(wanted.type) as caught:
        called(default_rng(1), call)
    assert str(caught.value) == str(wanted.value)
