"""The base class of all suites: a device by its name, and methods to send, fetch and compare."""

from __future__ import annotations

import gc
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import onebuf
from onebuf import Buffer, Device, memory_stats
from onebuf.dtypes import Array
from onebuf.errors import DeviceError, DTypeError
from onebuf.testing.comparison import assert_close, assert_same, flushed

Pairs = dict[str, tuple[Any, Array]]
"""Buffers, and the arrays that they have to be equal to, by name."""

UNSIGNED_ZEROS = ("maximum", "minimum", "sign")
"""Which of two zeros is the larger, or has which sign, is nowhere said."""


class Contract:
    """Tests that a device has to pass.

    A subclass names the device. ``examples`` is how many cases each property is tried with: few
    where every new form of graph is compiled, many where it is not.
    """

    device: ClassVar[str]
    examples: ClassVar[int] = 10
    large: ClassVar[int] = 100_000
    """Elements of the largest arrays: enough for many work-items, not too many for the device."""

    near: ClassVar[tuple[str, ...]] = ()
    """Operations whose last bit is a choice here, though IEEE 754 leaves none."""

    flushes: ClassVar[bool] = False
    """Whether results below the smallest normal number become zeros here."""

    def where(self) -> Device:
        """The device."""
        return onebuf.device(self.device)

    def send(self, data: Any) -> Buffer:
        """A buffer on the device with these elements."""
        return onebuf.asarray(np.asarray(data), copy=True).to_device(self.device)

    def fetch(self, buffer: Buffer) -> Array:
        """The elements of a buffer of the device."""
        assert buffer.device is self.where(), f"needed a result on {self.device}: {buffer.device}"
        return np.asarray(buffer.to_device("CPU"))

    def lacks(self, *names: str) -> bool:
        """Whether the device says that it cannot compute with one of these dtypes."""
        return not set(names).isdisjoint(self.where().driver.facts().lacks)

    @contextmanager
    def allowing(self, *names: str) -> Iterator[None]:
        """Let the device refuse what it says that it lacks, with an error that says so."""
        try:
            yield
        except (DTypeError, DeviceError):
            if not self.lacks(*names):
                raise

    @contextmanager
    def refusable(self) -> Iterator[None]:
        """Let the device refuse: the right answer or a clear error, nothing else."""
        try:
            yield
        except (DTypeError, DeviceError) as error:
            assert "to_device" in str(error), f"needed a message that says what to do: {error}"  # noqa: PT017

    def for_all(self, *drawn: st.SearchStrategy[Any]) -> Callable[[Callable[..., None]], None]:
        """Run the function below for values that are drawn."""

        def run(check: Callable[..., None]) -> None:
            few = settings(
                max_examples=self.examples,
                deadline=None,
                suppress_health_check=list(HealthCheck),
            )
            few(given(*drawn)(check))()

        return run

    def check(self, pairs: Pairs, close: tuple[str, ...] = (), precision: float = 0.0) -> None:
        """Compute every buffer at once, and compare each with its array.

        Those named in ``close`` may differ in the last bits.
        """
        onebuf.realize(*[buffer for buffer, _ in pairs.values()])
        for name, (buffer, wanted) in pairs.items():
            got = self.fetch(buffer)
            if self.flushes:
                got, wanted = flushed(got), flushed(wanted)
            if name in close or name in self.near:
                assert_close(got, wanted, name, precision=precision)
            else:
                assert_same(got, wanted, name, signed=name not in UNSIGNED_ZEROS)

    def in_use(self) -> int:
        """Bytes of the device in use."""
        gc.collect()
        where = self.where()
        if where.is_host:
            return memory_stats()["CPU"].in_use
        return int(where.driver.allocator.stats().in_use)


def numpys(name: str, *operands: Any, **arguments: Any) -> Array:
    """NumPy's answer; that of Python's `math`, number by number, where NumPy has no function."""
    function = getattr(np, name, None) or _number_by_number(getattr(math, name))
    with np.errstate(all="ignore"):
        return np.asarray(function(*operands, **arguments))


def _number_by_number(function: Callable[[float], float]) -> Callable[[Array], Array]:
    elements = np.vectorize(function, otypes=[np.float64])
    return lambda x: elements(x).astype(np.cbrt(x).dtype)  # with the dtypes of a real function
