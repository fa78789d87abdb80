"""Places that are processes of MPI, which all run the same program (SPMD).

Every place holds its boxes in a slab that all places can read (`onebuf.runtimes.mpi.window`), and
makes them itself, in place. What it needs of others it reads one-sidedly
(`onebuf.runtimes.mpi.one_sided`). At the end of each collective call all places agree
(`onebuf.runtimes.mpi.agreement`): how it went, and where each of them put its boxes.

Memory is used again when every place has dropped the elements that were in it. So what one place
still reads is not overwritten because another one is ahead.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from contextvars import copy_context
from typing import Any, Literal

from onebuf.dtypes import DT, Array
from onebuf.errors import ArgumentError, OutOfMemory, PlaceError, RuntimeClosed
from onebuf.options import config, options
from onebuf.placement import Box, Partition, intersection, is_empty
from onebuf.placement.box import shape_of
from onebuf.runtimes.mpi.agreement import CLOSE, Agreement, Outcome, Status
from onebuf.runtimes.mpi.library import MPI
from onebuf.runtimes.mpi.one_sided import Memory, Pull, empty, held, part_of, write
from onebuf.runtimes.mpi.packed_boxes import PackedBoxes
from onebuf.runtimes.mpi.progress_thread import ProgressThread
from onebuf.runtimes.mpi.window import Window
from onebuf.runtimes.protocols import Elements, Fetch, Need, Recipe

ATTEMPTS = 3
"""How often a place looks for memory: at once, after all have told what they dropped, and after
all have collected garbage."""


class Mpi:
    """The processes of ``comm``; None: all that ``mpiexec`` started.

    Parameters
    ----------
    slab_nbytes
        The memory for elements at each place; None: an equal part of three quarters of what the
        node has. It is taken from the system when it is first used.
    timeout
        Seconds after which a call that waits for other places raises `TaskTimeout`; None: never.
    direct
        Whether memory of places on the same node is read in place. False: as if they were apart.

    >>> from onebuf.runtimes.mpi.runtime import Mpi
    >>> one = Mpi(slab_nbytes=1 << 20)  # a program that mpiexec did not start is one place
    >>> one.places, one.here, one.mode
    (1, 0, 'spmd')
    >>> one.close()
    """

    name = "mpi"
    mode: Literal["driver", "spmd"] = "spmd"

    def __init__(
        self,
        comm: Any = None,
        slab_nbytes: int | None = None,
        timeout: float | None = None,
        direct: bool = True,
    ) -> None:
        if slab_nbytes is not None and (type(slab_nbytes) is not int or slab_nbytes < 1):
            raise ArgumentError(f"slab_nbytes needs 1 byte or more, or None; got {slab_nbytes!r}")
        self._comm = (MPI.COMM_WORLD if comm is None else comm).Dup()
        self.places: int = self._comm.size
        self.here: int | None = self._comm.rank
        node = self._comm.Split_type(MPI.COMM_TYPE_SHARED)
        self._window = Window(self._comm, node, slab_nbytes, direct)
        self._agreement = Agreement(self._comm, timeout)
        self._blocks: dict[int, int] = {}
        """Where the blocks of this place begin, by the number of the elements in them."""
        self._is_closed = False
        self._open = ExitStack()
        """What ends when the runtime is closed."""
        if options().threads is None:
            self._open.enter_context(_threads(_share_of_cores(node)))
        node.Free()
        self._pool: ThreadPoolExecutor | None = None
        if not self._window.reaches_all and MPI.Query_thread() == MPI.THREAD_MULTIPLE:
            self._open.callback(ProgressThread(self._comm).close)
            self._pool = self._open.enter_context(ThreadPoolExecutor(4, "onebuf-mpi-fetch"))
        atexit.register(self._close_at_exit)

    def __repr__(self) -> str:
        return f"Mpi(places={self.places}, here={self.here})"

    # -- computing ---------------------------------------------------------------------------------

    def run(self, recipe: Recipe, partition: Partition, inputs: Sequence[Elements]) -> Elements:
        """New elements: this place makes its own, and all of them agree. Collective."""
        self._check_open()
        self._check(partition, inputs)
        here, dtype = self._window.here, recipe.dtype
        number = self._agreement.number
        call = f"run {recipe.name} {partition.shape} {dtype.name} {_numbers(inputs)}"
        packed = PackedBoxes(partition.boxes(here), dtype.itemsize)
        offset: int | None = None
        is_made = False
        for attempt in range(ATTEMPTS):
            error: BaseException | None = None
            try:
                if offset is None:
                    offset = self._window.allocate(packed.nbytes)
                if not is_made:
                    self._make(recipe, self._new_boxes(packed, offset, dtype), inputs)
                    is_made = True
            except BaseException as caught:
                error = caught
            is_full = isinstance(error, OutOfMemory) and offset is None and attempt + 1 < ATTEMPTS
            try:
                outcome = self._agree(call, error, offset or 0, is_full)
            except BaseException:
                if offset is not None:
                    self._window.release(offset)
                raise
            if Status.FULL not in outcome.statuses:
                break
            gc.collect()
        assert offset is not None
        self._blocks[number] = offset
        dropped = self._agreement.dropped
        memory = Memory(number, outcome.values, partition, dtype.itemsize, dropped)
        return Elements(partition, dtype, self, memory)

    def update(
        self, elements: Elements, recipe: Recipe, region: Box, inputs: Sequence[Elements]
    ) -> None:
        """Make anew what lies in ``region``; when all places have, write it. Collective."""
        self._check_open()
        self._check(elements.partition, [elements, *inputs])
        call = f"update {recipe.name} {region} of {_numbers([elements])} {_numbers(inputs)}"
        made: list[tuple[Array, Array]] = []
        error: BaseException | None = None
        try:
            work = []
            for box, array in self._held(elements):
                part = intersection(box, region)
                if not is_empty(part):
                    new = empty(shape_of(part), elements.dtype)
                    made.append((part_of(array, part, box), new))
                    work.append((part, new))
            self._make(recipe, work, inputs)
        except BaseException as caught:
            error = caught
        self._agree(call, error)
        for old, new in made:
            old[...] = new
        self._agree(f"{call}, written")

    def _new_boxes(self, packed: PackedBoxes, offset: int, dtype: DT) -> list[tuple[Box, Array]]:
        """The boxes of this place with new memory for each."""
        made = []
        for box, begin in zip(packed.boxes, packed.offsets, strict=True):
            out = self._window.view(self._window.here, offset + begin, shape_of(box), dtype, None)
            assert out is not None
            made.append((box, out))
        return made

    def _make(
        self, recipe: Recipe, work: Sequence[tuple[Box, Array]], inputs: Sequence[Elements]
    ) -> None:
        """Compute boxes; what the next one needs of other nodes is on its way meanwhile."""
        there: dict[Need, Pull] = {}
        coming: dict[Need, Pull] = {}
        try:
            if work:
                self._begin(recipe, work[0][0], inputs, coming)
            for n, (box, out) in enumerate(work):
                there, coming = coming, {}
                if n + 1 < len(work):
                    self._begin(recipe, work[n + 1][0], inputs, coming)
                recipe.compute(box, self._fetch_for(recipe, there, inputs), out)
        finally:
            for pull in (*there.values(), *coming.values()):
                pull.result()  # its memory must not go before the elements came

    def _begin(
        self, recipe: Recipe, box: Box, inputs: Sequence[Elements], begun: dict[Need, Pull]
    ) -> None:
        """Begin to read what ``box`` needs, unless the memory of all places is mapped here."""
        if not self._window.reaches_all:
            for number, need in recipe.needs(box):
                begun[number, need] = Pull(self._window, inputs[number], need, recipe.name)

    def _fetch_for(
        self, recipe: Recipe, there: dict[Need, Pull], inputs: Sequence[Elements]
    ) -> Fetch:
        """What gives a recipe its boxes: of what was begun, or now."""

        def fetch(number: int, box: Box) -> Array:
            for (which, need), pull in there.items():
                if which == number and intersection(box, need) == box:
                    return part_of(pull.result(), box, need)
            return Pull(self._window, inputs[number], box, recipe.name).result()

        return fetch

    # -- elements ----------------------------------------------------------------------------------

    def fetch(self, elements: Elements, box: Box) -> Array:
        """A box of elements: in place if all of it is held here, else a copy."""
        self._check_open()
        self._check(None, [elements])
        return Pull(self._window, elements, box, "fetch", looks=False).result()

    def fetch_later(self, elements: Elements, box: Box) -> Future[Array]:
        """The same, as a copy. What is on other nodes is waited for by a thread."""
        self._check_open()
        self._check(None, [elements])

        def copied() -> Array:
            found = pull.result()
            return found if pull.is_copy else found.copy()

        pull = Pull(self._window, elements, box, "fetch", looks=False)
        if self._pool is not None and not pull.is_done:
            return self._pool.submit(copy_context().run, copied)
        future: Future[Array] = Future()
        future.set_result(copied())
        return future

    def store(self, elements: Elements, box: Box, array: Array) -> None:
        """Write ``array`` to a box, at every place that holds some of it."""
        self._check_open()
        self._check(None, [elements])
        write(self._window, elements, box, array, adds=False)

    def accumulate(self, elements: Elements, box: Box, array: Array) -> None:
        """Add ``array`` to a box, each element at once; of types that MPI can add."""
        self._check_open()
        self._check(None, [elements])
        write(self._window, elements, box, array, adds=True)

    def here_boxes(self, elements: Elements) -> list[tuple[Box, Array]]:
        """The boxes of this place, in their memory."""
        self._check_open()
        self._check(None, [elements])
        return self._held(elements)

    def _held(self, elements: Elements) -> list[tuple[Box, Array]]:
        found = []
        for n, box in enumerate(elements.memory.packed(self._window.here).boxes):
            array = held(self._window, elements, self._window.here, n)
            assert array is not None
            found.append((box, array))
        return found

    # -- waiting -----------------------------------------------------------------------------------

    def wait(self, elements: Elements, timeout: float | None = None) -> None:
        """Nothing to wait for: elements are there when `run` returns."""
        self._check_open()

    def barrier(self, timeout: float | None = None) -> None:
        """Return when every place is here. Collective.

        After a `TaskTimeout`, another barrier goes on waiting where this one stopped.
        """
        self._check_open()
        self._agree("barrier", timeout=timeout, can_resume=True)

    def memory_in_use(self) -> list[int]:
        """Bytes of elements at each place. Collective."""
        self._check_open()
        self._agree("memory_in_use")
        return self._agree("memory_in_use, counted", value=self._window.slab.in_use).values

    def close(self) -> None:
        """Give all memory back, except where arrays on it are still looked at. Collective.

        If a program ends without, this is done at its end.
        """
        if self._is_closed:
            return
        self._is_closed = True
        with self._open:
            if self._agreement.is_pending:
                return  # the others wait for something else
            if self._window.is_looked_at:
                gc.collect()
            outcome = self._agree(CLOSE, value=int(self._window.is_looked_at))
        atexit.unregister(self._close_at_exit)
        if not any(outcome.values):
            self._window.close()
            self._comm.Free()

    def _close_at_exit(self) -> None:
        """Close, or end all processes if this one failed: they would wait for it for ever."""
        failed = hasattr(sys, "last_value") and not hasattr(sys, "ps1")  # interactive: told before
        try:
            if not failed:
                self.close()
        finally:
            if failed or self._agreement.is_pending:
                sys.stdout.flush()
                sys.stderr.flush()
                MPI.COMM_WORLD.Abort(1)

    # -- agreeing ----------------------------------------------------------------------------------

    def _agree(
        self,
        call: str,
        error: BaseException | None = None,
        value: int = 0,
        is_full: bool = False,
        timeout: float | None = None,
        can_resume: bool = False,
    ) -> Outcome:
        """Reach an agreement with all places; raise what went wrong, here or at another place."""
        status = Status.DONE
        if error is not None:
            status = Status.FULL if is_full else Status.FAILED
        self._window.sync()
        try:
            outcome = self._agreement.reach(call, status, value, error, timeout, can_resume)
        except PlaceError as problem:
            if isinstance(problem, RuntimeClosed):  # by another place, so here, too
                self._is_closed = True
                self._open.close()
            raise problem from error
        self._window.sync()
        for number in self._agreement.free:
            self._window.release(self._blocks.pop(number))
        self._agreement.free.clear()
        if error is not None and status == Status.FAILED:
            raise error
        return outcome

    def _check_open(self) -> None:
        if self._is_closed:
            raise RuntimeClosed(
                "the runtime mpi that held these elements was closed; work with them inside of its "
                "with block, or take them out with to_local() before it ends"
            )

    def _check(self, partition: Partition | None, elements: Sequence[Elements]) -> None:
        """Refuse what belongs to another runtime."""
        if partition is not None and partition.places != self.places:
            raise ArgumentError(
                f"a runtime of {self.places} places needs partitions over as many, got one over "
                f"{partition.places}"
            )
        for one in elements:
            if one.runtime is not self:
                raise ArgumentError(
                    f"elements of {one.runtime!r} cannot be used by {self!r}; fetch them there and "
                    f"store them here"
                )


def _numbers(elements: Sequence[Elements]) -> str:
    """The numbers of elements, for the words of a call."""
    return " ".join([str(one.memory.number) for one in elements])


def _share_of_cores(node: Any) -> int:
    """How many threads this process can run, if those of its node share their cores equally."""
    if not hasattr(os, "sched_getaffinity"):
        return max(1, (os.cpu_count() or 1) // int(node.size))
    mine = os.sched_getaffinity(0)
    users = Counter([core for cores in node.allgather(sorted(mine)) for core in cores])
    return max(1, round(sum([1 / users[core] for core in mine])))


@contextmanager
def _threads(count: int) -> Iterator[None]:
    """Let kernels use ``count`` threads, in the thread or task that opens a runtime."""
    changed = config(threads=count)
    changed.__enter__()
    yield
    try:
        changed.__exit__(None, None, None)
    except ValueError:  # closed by another thread, in which nothing was changed
        return
