"""Random programs: what is done to buffers and, in the same words, to arrays of NumPy.

The state of a program is a list of variables, each a buffer and an array that has to stay equal to
it. Arrays are views of each other exactly if the buffers are, so a write to one is seen by the same
others. All elements are small integers, whatever their dtype, so every result is exact.

An action is its name and a number, from which it draws everything else: any sequence of actions is
a program, also with some of them left out.
"""

from __future__ import annotations

import copy
import pickle
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

import onebuf as ob
from onebuf import Buffer
from onebuf.layout import View

Array = np.ndarray[Any, Any]

MOST_VARIABLES = 9
PRIME = 1009
DTYPES = ("float64", "float64", "float32", "int64", "int32")
SHAPES = ((6,), (24,), (4, 6), (5, 5), (3, 2, 4), (40, 5), (1,), (64, 64), (3000,))


class Variable(NamedTuple):
    """A buffer, and the array that it has to be equal to."""

    buffer: Buffer
    array: Array


@dataclass
class State:
    """The variables of a program, and what it did so far, for people."""

    variables: list[Variable] = field(default_factory=list)
    windows: list[tuple[Array, Array]] = field(default_factory=list)
    """Arrays on the memory of buffers, and what they have to be equal to."""
    log: list[str] = field(default_factory=list)


class Change(NamedTuple):
    """What an action does, to buffers and to arrays."""

    text: str
    on_buffers: Callable[[], Any]
    on_arrays: Callable[[], Any]
    target: int = -1
    """Which variable is written in place; -1: none, the result is a new variable."""
    replaces: int = -1
    """Which variable the result takes the name of; -1: none."""
    computes: bool = False
    """Whether several results are computed, in which more can come in between."""


Action = tuple[str, int]
Maker = Callable[[State, random.Random], Change | None]
ACTIONS: dict[str, Maker] = {}
WEIGHTS: dict[str, int] = {}


def action(weight: int) -> Callable[[Maker], Maker]:
    """Let programs do this, so many times as often as others."""

    def register(make: Maker) -> Maker:
        ACTIONS[make.__name__] = make
        WEIGHTS[make.__name__] = weight
        return make

    return register


def drawn_program(seed: int, length: int) -> list[Action]:
    """A program of so many actions."""
    draw = random.Random(seed)
    names = draw.choices(list(WEIGHTS), list(WEIGHTS.values()), k=length)
    return [(name, draw.getrandbits(48)) for name in names]


def _some(state: State, draw: random.Random) -> int:
    return draw.randrange(len(state.variables))


def _like(state: State, draw: random.Random, array: Array) -> int | None:
    """A variable that broadcasts to the shape of another one."""
    found = [
        number
        for number, (_, other) in enumerate(state.variables)
        if other.ndim <= array.ndim
        and all(m in (1, n) for m, n in zip(other.shape[::-1], array.shape[::-1], strict=False))
    ]
    return draw.choice(found) if found else None


def _index(draw: random.Random, shape: tuple[int, ...]) -> tuple[Any, ...]:
    index: list[Any] = []
    for extent in shape:
        first, last = sorted((draw.randrange(extent + 1), draw.randrange(extent + 1)))
        choices = [slice(None), slice(None), slice(first, last), slice(None, None, -1)]
        index.append(draw.choice([*choices, slice(first, None, 2)]))
    return tuple(index[: draw.randrange(len(index) + 1)])


@action(6)
def new(state: State, draw: random.Random) -> Change:
    """A buffer of its own, or on memory of NumPy's that nobody writes."""
    shape, dtype = draw.choice(SHAPES), draw.choice(DTYPES)
    first = draw.randrange(100)
    array = (np.arange(first, first + int(np.prod(shape))) * 7 % PRIME).reshape(shape).astype(dtype)
    theirs = array.copy()
    how = draw.choice(["copy", "share", "compute"])

    def make() -> Buffer:
        if how == "copy":
            return ob.asarray(theirs, copy=True)
        made = ob.asarray(theirs)
        return made * 1 if how == "compute" else made

    return Change(f"asarray({dtype}{list(shape)}, {how})", make, lambda: array)


OPERATORS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "(x * 3 + y) % P": lambda xp, x, y: (x * 3 + y) % PRIME,
    "(x - y) % P": lambda xp, x, y: (x - y) % PRIME,
    "maximum(x, y)": lambda xp, x, y: xp.maximum(x, y),
    "where(x > y, x, y + 1)": lambda xp, x, y: xp.where(x > y, x, y + 1),
}
FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "(x * 2 + 1) % P": lambda xp, x: (x * 2 + 1) % PRIME,
    "flip(x) + 1": lambda xp, x: xp.flip(x) + 1,
    "abs(x - 5)": lambda xp, x: abs(x - 5),
    "sort(x)": lambda xp, x: xp.sort(x),
    "cumulative_sum(flat x % 101)": lambda xp, x: xp.cumulative_sum(xp.reshape(x, (-1,)) % 101),
    "sum(x % 101) + x": lambda xp, x: xp.sum(x % 101) + x,
    "x - min(x)": lambda xp, x: x - xp.min(x) if x.size else x * 1,
    "concat([x, x + 1])": lambda xp, x: xp.concat([x, x + 1]),
    "x + x[0]": lambda xp, x: x + x[0, ...] if x.shape[0] else x * 1,
    "x.T.T * 2 % P": lambda xp, x: x.T.T * 2 % PRIME if x.ndim == 2 else x * 2 % PRIME,
}


def _small(result: Any) -> Any:
    """The same buffer or array, unless it is too large for a variable."""
    return result if result.size <= 20_000 else result[:8]


@action(14)
def compute(state: State, draw: random.Random) -> Change:
    """A new variable, computed from one."""
    number = _some(state, draw)
    text, function = draw.choice(list(FUNCTIONS.items()))
    x, array = state.variables[number]
    return Change(
        f"{text}  of v{number}",
        lambda: _small(function(ob, x)),
        lambda: _small(np.asarray(function(np, array))),
    )


@action(12)
def combine(state: State, draw: random.Random) -> Change | None:
    """A new variable, computed from two."""
    number = _some(state, draw)
    x, array = state.variables[number]
    other = _like(state, draw, array)
    if other is None:
        return None
    y, second = state.variables[other]
    text, function = draw.choice(list(OPERATORS.items()))
    return Change(
        f"{text}  of v{number}, v{other}",
        lambda: function(ob, x, y),
        lambda: np.asarray(function(np, array, second)),
    )


@action(12)
def rebind(state: State, draw: random.Random) -> Change:
    """A variable that becomes a function of itself: its old elements die."""
    number = _some(state, draw)
    x, array = state.variables[number]
    turns = draw.randrange(1, 4)

    def repeat(value: Any) -> Any:
        for _ in range(turns):
            value = (value * 2 + 1) % PRIME
        return value

    return Change(
        f"v{number} = f^{turns}(v{number})",
        lambda: repeat(x),
        lambda: np.asarray(repeat(array)),
        replaces=number,
    )


def _squared(x: Any) -> Any:
    wide = x.astype("float64")
    return wide @ wide.T


@action(12)
def family(state: State, draw: random.Random) -> Change:
    """Several variables that are computed from one, which dies, and from one that had no name."""
    number = _some(state, draw)
    x, array = state.variables[number]
    order = draw.sample(range(5), draw.randrange(2, 5))

    def children(xp: Any, x: Any) -> list[Any]:
        middle = xp.cumulative_sum(xp.reshape(x, (-1,)) % 101) if order[0] % 2 else x * 5 % PRIME
        few = middle[:30].reshape(-1)[:30]
        if order[-1] % 2:
            return [few[:3] * 2, (x * 2 + 1) % PRIME, few[:4, None] + few[None, :]]
        made = [
            (x * 2 + 1) % PRIME,
            few[:4, None] + few[None, :],
            xp.flip(middle) + 1,
            (x - 3) % PRIME,
            middle[: max(1, len(middle) // 2)] * 2 % PRIME,
        ]
        return [made[place] for place in order]

    return Change(
        f"{order} of the children of v{number} * 1, which dies",
        lambda: children(ob, (x * 1).realize()),
        lambda: [np.asarray(one) for one in children(np, array)],
        replaces=number if draw.random() < 0.5 else -1,
        computes=True,
    )


@action(14)
def realized(state: State, draw: random.Random) -> Change:
    """Several variables computed in one plan."""
    numbers = range(len(state.variables))
    count = draw.randrange(1, len(numbers) + 1)
    some = draw.choice([draw.sample(numbers, count), list(numbers)[-count:]])
    buffers = [state.variables[number].buffer for number in some]
    return Change(f"realize {some}", lambda: ob.realize(*buffers) or [], lambda: [], computes=True)


@action(3)
def product(state: State, draw: random.Random) -> Change | None:
    """A matrix product, with something done to it."""
    number = _some(state, draw)
    x, array = state.variables[number]
    if array.ndim != 2:
        return None
    return Change(
        f"((v{number} @ v{number}.T) % P + 1)",
        lambda: _squared(x % PRIME) % PRIME + 1,
        lambda: _squared(array % PRIME) % PRIME + 1,
    )


@action(10)
def view(state: State, draw: random.Random) -> Change | None:
    """A new variable that sees the elements of another one."""
    number = _some(state, draw)
    x, array = state.variables[number]
    kind = draw.choice(["slice", "slice", "transpose", "row", "reshape"])
    if kind == "slice":
        index = _index(draw, array.shape)
        if not index:
            index = (...,)
        return Change(f"v{number}[{index}]", lambda: x[index], lambda: array[index])
    if kind == "transpose" and array.ndim == 2:
        return Change(f"v{number}.T", lambda: x.T, lambda: array.T)
    if kind == "row" and array.ndim > 1 and array.shape[0]:
        row = draw.randrange(array.shape[0])
        return Change(f"v{number}[{row}, ...]", lambda: x[row, ...], lambda: array[row, ...])
    lies_in_order = x.stride == View.contiguous(x.shape).stride  # what NumPy copied may not
    if kind == "reshape" and array.flags.c_contiguous and array.base is None and lies_in_order:
        return Change(f"v{number}.reshape(-1)", lambda: x.reshape(-1), lambda: array.reshape(-1))
    return None


@action(6)
def copied(state: State, draw: random.Random) -> Change:
    """A new variable with the same elements in memory of its own."""
    number = _some(state, draw)
    x, array = state.variables[number]
    ways: dict[str, Callable[[], Any]] = {
        "copy()": lambda: x.copy(),
        "asarray(copy=True)": lambda: ob.asarray(x, copy=True),
        "deepcopy": lambda: copy.deepcopy(x),
        "pickle": lambda: pickle.loads(pickle.dumps(x)),
        "asarray(np.array)": lambda: ob.asarray(np.array(x)),
    }
    name, way = draw.choice(list(ways.items()))
    return Change(f"{name} of v{number}", way, lambda: array.copy())


class Described:
    """An array by its address: nothing in it leads to the owner."""

    def __init__(self, array: Array) -> None:
        self.owner = array
        self.__array_interface__ = dict(array.__array_interface__)


@action(5)
def exchanged(state: State, draw: random.Random) -> Change:
    """A new variable on the same memory, which went out of our hands in between."""
    number = _some(state, draw)
    x, array = state.variables[number]
    ways: dict[str, Callable[[], Any]] = {
        "asarray(np.asarray)": lambda: ob.asarray(np.asarray(x)),
        "from_dlpack": lambda: ob.from_dlpack(x),
        "memoryview": lambda: ob.asarray(memoryview(np.asarray(x))),
        "an address": lambda: ob.asarray(Described(np.asarray(x))),
    }
    name, way = draw.choice(list(ways.items()))
    return Change(f"{name} of v{number}", way, lambda: array[...])


@action(2)
def window(state: State, draw: random.Random) -> Change:
    """An array of NumPy on the memory of a buffer, to be looked at later."""
    number = _some(state, draw)
    x, array = state.variables[number]

    def take() -> Buffer:
        state.windows[:] = [*state.windows[-2:], (np.asarray(x), array)]
        return x[...]

    return Change(f"np.asarray(v{number})", take, lambda: array[...])


@action(5)
def picked(state: State, draw: random.Random) -> Change | None:
    """The elements that a mask or indices name."""
    number = _some(state, draw)
    x, array = state.variables[number]
    if not array.size:
        return None
    if draw.random() < 0.5:
        least = draw.randrange(PRIME)
        return Change(
            f"v{number}[v{number} > {least}]",
            lambda: x[x > least],
            lambda: array[array > least],
        )
    rows = np.array([draw.randrange(array.shape[0]) for _ in range(draw.randrange(1, 6))])
    return Change(f"v{number}[{rows.tolist()}]", lambda: x[rows], lambda: array[rows])


# -- writes ----------------------------------------------------------------------------------------


@action(10)
def fill(state: State, draw: random.Random) -> Change:
    """One number written to some elements."""
    number = _some(state, draw)
    x, array = state.variables[number]
    index = _index(draw, array.shape) or (...,)
    value = draw.randrange(PRIME)

    def write(target: Any) -> None:
        target[index] = value

    return Change(
        f"v{number}[{index}] = {value}", lambda: write(x), lambda: write(array), target=number
    )


@action(10)
def assign(state: State, draw: random.Random) -> Change | None:
    """The elements of one variable written to another one, which may overlap it."""
    number = _some(state, draw)
    x, array = state.variables[number]
    other = _like(state, draw, array)
    if other is None:
        return None
    y, second = state.variables[other]

    def write(target: Any, value: Any) -> None:
        target[...] = value

    return Change(
        f"v{number}[...] = v{other}",
        lambda: write(x, y),
        lambda: write(array, second.copy()),
        target=number,
    )


@action(10)
def update(state: State, draw: random.Random) -> Change | None:
    """An operator in place."""
    number = _some(state, draw)
    x, array = state.variables[number]
    if array.size and abs(array).max() > 1e5:
        return reduce_in_place(state, draw)  # before elements become too large to be exact
    kind = draw.choice(["number", "variable", "transpose", "part"])
    value = draw.randrange(1, 5)
    if kind == "transpose" and array.ndim == 2 and array.shape[0] == array.shape[1]:
        return Change(
            f"v{number} += v{number}.T",
            lambda: _whole(x, lambda t: t.__iadd__(t.T)),
            lambda: _whole(array, lambda t: t.__iadd__(t.T.copy())),
            target=number,
        )
    if kind == "variable":
        other = _like(state, draw, array)
        if other is None:
            return None
        y, second = state.variables[other]
        if not np.can_cast(np.result_type(array, second), array.dtype, "same_kind"):
            return None
        return Change(
            f"v{number} += v{other}",
            lambda: _whole(x, lambda t: t.__iadd__(y)),
            lambda: _whole(array, lambda t: t.__iadd__(second.copy())),
            target=number,
        )
    if kind == "part":
        index = _index(draw, array.shape) or (...,)

        def part(target: Any) -> None:
            target[index] += value

        return Change(
            f"v{number}[{index}] += {value}", lambda: part(x), lambda: part(array), target=number
        )
    return Change(
        f"v{number} -= {value}",
        lambda: _whole(x, lambda t: t.__isub__(value)),
        lambda: _whole(array, lambda t: t.__isub__(value)),
        target=number,
    )


def _whole(target: Any, write: Callable[[Any], Any]) -> None:
    write(target)


@action(5)
def masked(state: State, draw: random.Random) -> Change | None:
    """A write to the elements that a mask or an order of rows names."""
    number = _some(state, draw)
    x, array = state.variables[number]
    if not array.size:
        return None
    least, value = draw.randrange(PRIME), draw.randrange(PRIME)
    if draw.random() < 0.6:

        def mask(target: Any) -> None:
            target[target > least] = value

        text = f"v{number}[v{number} > {least}] = {value}"
        return Change(text, lambda: mask(x), lambda: mask(array), target=number)
    order = np.array(draw.sample(range(array.shape[0]), array.shape[0]))
    if array.ndim == 2 and array.shape[0] == array.shape[1]:

        def turned(target: Any, values: Any) -> None:
            target[order] = values

        text = f"v{number}[{order.tolist()}] = v{number}.T"
        return Change(
            text, lambda: turned(x, x.T), lambda: turned(array, array.T.copy()), target=number
        )

    def shuffle(target: Any, values: Any) -> None:
        target[order] = values

    text = f"v{number}[{order.tolist()[:9]}...] = v{number}"
    return Change(text, lambda: shuffle(x, x), lambda: shuffle(array, array.copy()), target=number)


@action(8)
def reduce_in_place(state: State, draw: random.Random) -> Change:
    """Elements made small again, in place."""
    number = _some(state, draw)
    x, array = state.variables[number]
    return Change(
        f"v{number} %= P",
        lambda: _whole(x, lambda t: t.__imod__(PRIME)),
        lambda: _whole(array, lambda t: t.__imod__(PRIME)),
        target=number,
    )
