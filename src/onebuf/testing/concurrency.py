"""Long programs, threads and forks: a device serves all of them, or says why not."""

from __future__ import annotations

import multiprocessing
import threading
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import onebuf
from onebuf.errors import DeviceError
from onebuf.testing.comparison import assert_same
from onebuf.testing.contract import Contract

CHILD_SECONDS = 60.0


def in_threads(count: int, work: Callable[[int], None]) -> None:
    """Run ``work`` in threads at the same time; the first error of any is raised here."""
    errors: list[BaseException] = []
    ready = threading.Barrier(count)

    def run(number: int) -> None:
        try:
            ready.wait()
            work(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


class ConcurrencyContract(Contract):
    """What long and concurrent programs may expect."""

    def test_deep_chains(self) -> None:
        x = self.send(np.zeros(4, np.int32))
        y = x
        for _ in range(3000):
            y = y + 1
        assert_same(self.fetch(y), np.full(4, 3000, np.int32))

    def test_deep_chains_of_views(self) -> None:
        x = self.send(np.arange(4, dtype=np.int32))
        y = x
        for _ in range(1500):
            y = y[::-1] ^ 1
        assert_same(self.fetch(y), np.arange(4, dtype=np.int32))

    def test_wide_sums(self) -> None:
        parts = [self.send(np.full(3, n, np.int32)) for n in range(200)]
        total = parts[0]
        for part in parts[1:]:
            total = total + part
        assert_same(self.fetch(total), np.full(3, 199 * 100, np.int32))

    def test_threads_on_one_device(self) -> None:
        start = self.in_use()

        def work(number: int) -> None:
            array = np.arange(100, dtype=np.int32) + number
            for turn in range(10):
                x = self.send(array)
                x[3:] += number
                wanted = array.copy()
                wanted[3:] += number
                assert_same(self.fetch(x * 2 + turn), wanted * 2 + turn)

        in_threads(4, work)
        assert self.in_use() == start

    def test_threads_that_read_what_one_made(self) -> None:
        array = np.arange(1000, dtype=np.int32)
        made = self.send(array) * 3

        def work(number: int) -> None:
            assert_same(self.fetch(made + number), array * 3 + number)

        in_threads(4, work)

    def test_an_error_in_one_thread_stays_there(self) -> None:
        x = self.send(np.arange(50))

        def work(number: int) -> None:
            for _ in range(5):
                index = self.send(np.array([99 if number == 0 else number]))
                try:
                    got = self.fetch(onebuf.take(x, index, axis=0))
                except IndexError:
                    assert number == 0
                else:
                    assert got.tolist() == [number]

        in_threads(3, work)

    def test_a_forked_child_works_or_says_why_not(self) -> None:
        self.fetch(self.send(np.arange(3)) + 1)
        context: Any = multiprocessing.get_context("fork")
        ours, theirs = context.Pipe()
        child = context.Process(target=_child, args=(self.device, theirs))
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore"
            )  # Python warns of a fork with threads, which is on purpose
            child.start()
        try:
            assert ours.poll(CHILD_SECONDS), "the child hangs"
            answer = ours.recv()
        finally:
            child.join(5)
            child.kill()
            child.join()
            ours.close()
            theirs.close()
        assert answer == [2, 4, 6] or "fork" in answer, answer
        assert_same(self.fetch(self.send(np.arange(3)) + 1), np.arange(3) + 1)


def _child(device: str, pipe: Any) -> None:
    """Use a device that the parent opened."""
    try:
        x = onebuf.asarray(np.array([1, 2, 3])).to_device(device)
        pipe.send((x * 2).tolist())
    except DeviceError as error:
        pipe.send(str(error))
    except BaseException as error:
        pipe.send(repr(error))
