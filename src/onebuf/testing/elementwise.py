"""Operations on each element: exact where arithmetic is, and near where functions are."""

from __future__ import annotations

import numpy as np
import pytest

import onebuf
from onebuf import dtypes
from onebuf.dtypes import Array
from onebuf.errors import ScalarRangeError, ShapeError
from onebuf.graph import BINARY, UNARY
from onebuf.testing.comparison import assert_same
from onebuf.testing.contract import Contract, Pairs, numpys
from onebuf.testing.strategies import (
    ALL,
    COMPLEX,
    FLOATS,
    NARROW,
    REAL,
    SHAPES,
    WHOLE,
    elements,
    seeds,
    shapes,
)

COMPARISONS = ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal")
ROUNDING = ("floor", "ceil", "trunc", "round")
CLASSES = ("isnan", "isinf", "isfinite", "signbit")
FUNCTIONS = tuple([op.name for op in UNARY.values() if not op.is_exact])
ANGLES = ("sin", "cos", "tan")
OF_COMPLEX = ("exp", "log", "sqrt", "sin", "cos", "tanh")


class ElementwiseContract(Contract):
    """What operations on each element have to do."""

    def apply(self, names: tuple[str, ...], *arrays: Array) -> Pairs:
        """Functions of the namespace, and what NumPy says."""
        operands = [self.send(array) for array in arrays]
        return {name: (getattr(onebuf, name)(*operands), numpys(name, *arrays)) for name in names}

    def table(self, name: str, seed: int) -> tuple[Array, Array]:
        """Two arrays that broadcast to a table in which every special value meets every other."""
        return elements(name, (23, 1), seed), elements(name, (29,), seed + 1)

    # -- exact -------------------------------------------------------------------------------------

    @pytest.mark.parametrize("name", [*REAL, *COMPLEX])
    def test_arithmetic(self, name: str) -> None:
        names: tuple[str, ...] = ("add", "subtract", "multiply")
        if name not in WHOLE:
            names = (*names, "divide")

        @self.for_all(seeds)
        def check(seed: int) -> None:
            with self.allowing(name):
                one, two = self.table(name, seed)
                if name in COMPLEX:
                    two = two + two.dtype.type(4)
                close = ("multiply", "divide") if name in COMPLEX else ()
                self.check(self.apply(names, one, two), close)

    @pytest.mark.parametrize("name", ALL)
    def test_comparisons(self, name: str) -> None:
        names = COMPARISONS[4:] if name in COMPLEX else COMPARISONS
        if name in REAL:
            names = (*names, "maximum", "minimum")

        @self.for_all(seeds)
        def check(seed: int) -> None:
            with self.allowing(name):
                self.check(self.apply(names, *self.table(name, seed)))

    @pytest.mark.parametrize("name", [*FLOATS, *NARROW])
    def test_signs_parts_and_roots_of_floats(self, name: str) -> None:
        names = ("abs", "negative", "positive", "square", "sqrt", "sign", *ROUNDING, *CLASSES)

        @self.for_all(seeds)
        def check(seed: int) -> None:
            with self.allowing(name):
                self.check(self.apply(names, elements(name, (101,), seed)))

    @pytest.mark.parametrize("name", WHOLE)
    def test_signs_and_parts_of_whole_numbers(self, name: str) -> None:
        names = ("abs", "negative", "positive", "square", "sign", *ROUNDING)

        @self.for_all(seeds)
        def check(seed: int) -> None:
            with self.allowing(name):
                self.check(self.apply(names, elements(name, (101,), seed)))

    @pytest.mark.parametrize("name", WHOLE)
    def test_division_of_whole_numbers(self, name: str) -> None:
        @self.for_all(seeds)
        def check(seed: int) -> None:
            with self.allowing(name):
                self.check(self.apply(("floor_divide", "remainder"), *self.table(name, seed)))

    @pytest.mark.parametrize("name", ["int32", "int64", "uint32", "uint64"])
    def test_true_division_of_whole_numbers(self, name: str) -> None:
        with self.allowing(name, "float64"):
            self.check(self.apply(("divide",), *self.table(name, 1)))

    @pytest.mark.parametrize("name", FLOATS)
    def test_whole_division_of_floats(self, name: str) -> None:
        one = np.array([7.0, -7.0, 0.5, -0.25, 0.0, -0.0, 6.0], np.float64)[:, None]
        two = np.array([2.0, -2.0, 0.25, 3.0, np.nan], np.float64)
        names = ("floor_divide", "remainder")
        with self.allowing(name):
            dtype = dtypes.as_dtype(name)
            self.check(self.apply(names, one.astype(dtype), two.astype(dtype)), names)

    @pytest.mark.parametrize("name", WHOLE)
    def test_bits(self, name: str) -> None:
        @self.for_all(seeds)
        def check(seed: int) -> None:
            with self.allowing(name):
                one, two = self.table(name, seed)
                pairs = self.apply(("bitwise_and", "bitwise_or", "bitwise_xor"), one, two)
                pairs |= self.apply(("bitwise_invert",), one)
                bits = np.arange(8 * one.itemsize, dtype=one.dtype)
                pairs |= self.apply(("bitwise_left_shift", "bitwise_right_shift"), one, bits)
                self.check(pairs)

    def test_logic(self) -> None:
        one, two = np.array([[True], [False]]), np.array([True, False])
        names = (
            *("logical_and", "logical_or", "logical_xor", "bitwise_and", "bitwise_or"),
            *("bitwise_xor", "add", "multiply", "equal", "maximum", "less"),
        )
        self.check(self.apply(names, one, two) | self.apply(("logical_not", "bitwise_invert"), two))

    @pytest.mark.parametrize("name", ["int32", "float32", "uint8"])
    def test_numbers_count_as_true_unless_they_are_zero(self, name: str) -> None:
        with self.allowing(name):
            one, two = self.table(name, 3)
            self.check(self.apply(("logical_and", "logical_or"), one, two))

    @pytest.mark.parametrize("name", ALL)
    def test_where_and_clip(self, name: str) -> None:
        @self.for_all(seeds)
        def check(seed: int) -> None:
            with self.allowing(name):
                one, two = self.table(name, seed)
                flags = elements("bool", (23, 29), seed)
                pairs = self.apply(("where",), flags, one, two)
                if name in ("int32", "float32"):
                    low, high = one.dtype.type(1), one.dtype.type(3)
                    made = onebuf.clip(self.send(one), int(low), int(high))
                    pairs["clip"] = (made, numpys("clip", one, low, high))
                self.check(pairs)

    # -- near --------------------------------------------------------------------------------------

    @pytest.mark.parametrize("name", FLOATS)
    def test_functions(self, name: str) -> None:
        @self.for_all(seeds)
        def check(seed: int) -> None:
            with self.allowing(name):
                array = elements(name, (97,), seed)
                with np.errstate(all="ignore"):
                    far = (np.abs(array) > 1000) & np.isfinite(array)
                angles = np.where(far, array.dtype.type(1), array)
                names = tuple([each for each in FUNCTIONS if each not in ANGLES])
                self.check(self.apply(names, array) | self.apply(ANGLES, angles), FUNCTIONS)

    @pytest.mark.parametrize("name", FLOATS)
    def test_functions_of_two(self, name: str) -> None:
        names = (*[op.name for op in BINARY.values() if not op.is_exact], "copysign")
        values = [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 2.0, -3.0, 2.5, np.inf, -np.inf, np.nan]
        with self.allowing(name):
            array = np.array(values).astype(dtypes.as_dtype(name))
            self.check(self.apply(names, array[:, None], array), names)

    @pytest.mark.parametrize("name", ["int8", "int32", "int64", "uint8", "uint32", "uint64"])
    def test_powers_of_whole_numbers(self, name: str) -> None:
        with self.allowing(name):
            one = elements(name, (23, 1), 5)
            self.check(self.apply(("pow",), one, np.arange(7, dtype=one.dtype)))

    @pytest.mark.parametrize("name", COMPLEX)
    def test_parts_of_complex_numbers(self, name: str) -> None:
        with self.allowing(name):
            array = elements(name, (31,), 7)
            pairs = self.apply(("conj", "real", "imag", "abs", "negative"), array)
            self.check(pairs, ("abs",))

    @pytest.mark.parametrize("name", COMPLEX)
    @pytest.mark.parametrize("function", OF_COMPLEX)
    def test_functions_of_complex_numbers_are_right_or_refused(
        self, function: str, name: str
    ) -> None:
        rng = np.random.default_rng(1)
        with self.refusable():
            array = (rng.normal(size=31) + 1j * rng.normal(size=31)).astype(name)
            self.check(self.apply((function,), array), (function,), 1e-5)

    # -- types and numbers -------------------------------------------------------------------------

    @pytest.mark.parametrize("source", ALL)
    def test_casts(self, source: str) -> None:
        rng = np.random.default_rng(2)
        array = rng.integers(0, 100, 64).astype(dtypes.as_dtype(source))
        self.check_casts(array, COMPLEX if source in COMPLEX else ALL)

    def check_casts(self, array: Array, targets: tuple[str, ...]) -> None:
        """Cast to all targets at once, and to those that the device lacks one by one."""
        with np.errstate(all="ignore"):
            wanted = {name: array.astype(dtypes.as_dtype(name)) for name in targets}
        lacking = [name for name in targets if self.lacks(array.dtype.name, name)]
        for names in ([name for name in targets if name not in lacking], *[[n] for n in lacking]):
            with self.allowing(array.dtype.name, *names):
                x = self.send(array)
                self.check({name: (onebuf.astype(x, name), wanted[name]) for name in names})

    @pytest.mark.parametrize("source", WHOLE)
    def test_casts_of_whole_numbers_wrap(self, source: str) -> None:
        self.check_casts(elements(source, (61,), 4), WHOLE)

    @pytest.mark.parametrize("source", FLOATS)
    def test_casts_of_floats_round_to_even(self, source: str) -> None:
        self.check_casts(elements(source, (61,), 4), (*FLOATS, "bool"))

    def test_floats_lose_their_fraction_as_whole_numbers(self) -> None:
        array = np.array([1.9, -1.9, 0.5, -0.5, 100.7, -100.7, -0.0], np.float32)
        for name in ("int8", "int16", "int32", "int64"):
            assert_same(self.fetch(self.send(array).astype(name)), array.astype(name), name)

    def test_dtypes_meet(self) -> None:
        pairs = (
            ("int8", "uint8"),
            ("int32", "int16"),
            ("bool", "int32"),
            ("uint8", "float32"),
            ("float16", "float32"),
            ("int32", "float32"),
            ("float32", "complex64"),
        )
        for one, two in pairs:
            arrays = elements(one, (17,), 1), elements(two, (17,), 2)
            wanted = numpys("add", *arrays)
            with self.allowing(one, two, wanted.dtype.name):
                self.check(
                    {f"{one} + {two}": (self.send(arrays[0]) + self.send(arrays[1]), wanted)}
                )

    def test_numbers_of_python_take_the_dtype(self) -> None:
        for name, number in (("float32", 2.5), ("int32", -3), ("uint8", 200), ("float16", 0.1)):
            array = elements(name, (17,), 3)
            x = self.send(array)
            of_numpy = array.dtype.type(number)
            pairs: Pairs = {
                "x + n": (x + number, numpys("add", array, of_numpy)),
                "n - x": (number - x, numpys("subtract", of_numpy, array)),
                "x * n": (x * number, numpys("multiply", array, of_numpy)),
                "x > n": (x > number, numpys("greater", array, of_numpy)),
            }
            with self.allowing(name):
                self.check(pairs)

    def test_special_numbers_of_python(self) -> None:
        array = elements("float32", (41,), 3)
        x = self.send(array)
        for number in (np.inf, -np.inf, np.nan, -0.0, 1e-3):
            wanted = numpys("multiply", array, np.float32(number))
            assert_same(self.fetch(x * number), wanted, str(number))

    def test_a_number_that_does_not_fit_is_an_error(self) -> None:
        x = self.send(np.arange(3, dtype=np.uint8))
        with pytest.raises(ScalarRangeError):
            x + 300
        assert_same(self.fetch(x + 200), np.arange(200, 203, dtype=np.uint8))

    def test_another_number_needs_no_other_program(self) -> None:
        x = self.send(elements("float32", (64,), 3))
        with onebuf.config(eager_numel=0, tier="compile"):
            (x * 2.0 + 1.0).realize()
            with onebuf.counters() as counted:
                (x * 3.0 + 7.0).realize()
        assert counted.compiles == 0

    # -- shapes ------------------------------------------------------------------------------------

    def test_any_shape(self) -> None:
        @self.for_all(shapes, seeds)
        def check(shape: tuple[int, ...], seed: int) -> None:
            array = elements("float32", shape, seed)
            x = self.send(array)
            assert_same(
                self.fetch(x * 2 + x),
                numpys("add", numpys("multiply", array, np.float32(2)), array),
            )

    def test_shapes_broadcast(self) -> None:
        for one in SHAPES:
            for two in ((), (1,), (4,), (3, 1), (1, 1, 1), (0,), (3,)):
                arrays = elements("int32", one, 1), elements("int32", two, 2)
                try:
                    wanted = numpys("add", *arrays)
                except ValueError:
                    with pytest.raises(ShapeError):
                        self.send(arrays[0]) + self.send(arrays[1])
                    continue
                got = self.fetch(self.send(arrays[0]) + self.send(arrays[1]))
                assert_same(got, wanted, f"{one} + {two}")

    def test_many_elements(self) -> None:
        array = elements("float32", (self.large,), 6)
        x = self.send(array)
        wanted = numpys("add", numpys("multiply", array, array), np.float32(1))
        assert_same(self.fetch(x * x + 1), wanted)
