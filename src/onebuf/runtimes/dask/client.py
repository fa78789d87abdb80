"""A client of Dask of which every wait ends: with a result, or with an error that says why not.

Dask's own waits go on where the scheduler or the client is gone. Here all that waits is done by
the thread of the client, and callers look now and then whether there is still something to wait
for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from concurrent import futures
from concurrent.futures import Future
from functools import partial
from time import monotonic
from typing import Any, TypeVar

from onebuf.dtypes import Array
from onebuf.errors import (
    ArgumentError,
    ArgumentTypeError,
    MissingPackage,
    PlaceError,
    RuntimeClosed,
    TaskError,
    TaskTimeout,
)
from onebuf.runtimes.dask.task_graph import MESSAGE_NBYTES, PREFIX, Graph, assign
from onebuf.runtimes.dask.tasks import bring, received

try:
    from dask.highlevelgraph import HighLevelGraph, MaterializedLayer
    from dask.system import CPU_COUNT
    from distributed import Client, KilledWorker, LocalCluster, Status
    from distributed.diagnostics.plugin import SchedulerPlugin
except ImportError as error:
    raise MissingPackage.extra("distributed", "dask", "a runtime of Dask") from error

T = TypeVar("T")

CHECK_SECONDS = 0.25
"""How often a wait looks whether the scheduler is still there."""
WORKERS_SECONDS = 2.0
"""How old the list of workers may get."""


class Unpin(SchedulerPlugin):  # type: ignore[misc]  # of no known type
    """Lets tasks of ours that have no worker go to any that comes.

    A task that may go to other workers than the one that it prefers does not, if there is none at
    all when its turn comes: the scheduler keeps it for the one that it prefers, for ever.
    """

    name = "onebuf-unpin"
    idempotent = True

    def add_worker(self, scheduler: Any, worker: str) -> None:
        """Called before the scheduler looks what the worker can do."""
        for task in scheduler.unrunnable:
            if task.loose_restrictions and str(task.key).startswith(PREFIX):
                task.worker_restrictions = None


class Connection:
    """A client, the workers that places prefer, and waits that end.

    ``client`` is left open by `close`; None stands for processes on this machine, which it ends.
    """

    def __init__(self, client: Any, places: int | None, timeout: float | None) -> None:
        self._cluster: Any = None
        self.threads = 1
        """Threads that a task may use: those of the worker with the fewest."""
        self.client = client
        self.timeout = timeout
        self.is_closed = False
        if client is None:
            self._cluster = _processes(places or CPU_COUNT)
            self.client = Client(self._cluster, set_as_default=False, direct_to_workers=True)
        else:
            _check_client(client)
        try:
            self._open(places)
        except BaseException:
            self.close()
            raise

    def _open(self, places: int | None) -> None:
        self.result(self.begin(self._prepare()), self.timeout)
        found = self._present_workers()
        if places is None and not found:
            raise ArgumentError(
                "a runtime of Dask has as many places as its cluster has workers, and it has none "
                "yet; call client.wait_for_workers(1) before, or give places="
            )
        self.places = places or len(found)
        self._workers = assign(self.places, (), found)
        self._workers_at = monotonic()

    def close(self) -> None:
        """End what was started here."""
        self.is_closed = True
        if self._cluster is None:
            return
        self.client.close()
        try:
            self._cluster.close()
        except KeyError:
            # The last thing that it does, when all processes have ended, is to look for workers
            # that died before it knew them (dask/distributed#5407).
            self._cluster.status = Status.closed

    def check_open(self) -> None:
        """Raise, if nothing can be asked any more."""
        if self.is_closed:
            raise RuntimeClosed(
                "the runtime of Dask that held these elements was closed; work with them inside "
                "of its with block, or take them out with to_local() before it ends"
            )
        if not self._is_reachable():
            raise self.lost(None)

    def lost(self, place: int | None) -> PlaceError:
        """The error for what cannot be had any more."""
        if not self._is_reachable():
            return RuntimeClosed(
                f"the scheduler of Dask cannot be reached: the client is {self.client.status}. It "
                f"was closed, or the scheduler has ended; open another runtime",
                place,
            )
        return PlaceError(
            "Dask has given up these elements: their client was restarted or lost its connection, "
            "or they were cancelled; make them again",
            place,
        )

    def _is_reachable(self) -> bool:
        return not self.is_closed and self.client.status == "running"

    async def _prepare(self) -> None:
        await self.client.register_plugin(Unpin())

    # -- tasks -------------------------------------------------------------------------------------

    def send(self, graph: Graph, shards: dict[int, Any]) -> None:
        """Hand tasks to the scheduler; keys of theirs in ``shards`` become futures."""
        keys = [key for key in shards.values() if isinstance(key, str)]
        if not keys:
            return
        workers = self._preferred_workers()
        layers = {}
        for number, (place, tasks) in enumerate(graph.tasks.items()):
            where = None
            if workers:
                where = {"workers": [workers[place]], "allow_other_workers": True}
            layers[f"{number}-{keys[0]}"] = MaterializedLayer(tasks, where)
        try:
            found = self.client.get(
                HighLevelGraph(layers, {name: set() for name in layers}),
                keys,
                sync=False,
                fifo_timeout="100ms",
            )
        except Exception as error:
            if self._is_reachable():
                raise
            raise self.lost(None) from error
        made = dict(zip(keys, found, strict=True))
        for place, key in shards.items():
            if isinstance(key, str):
                shards[place] = made[key]

    def send_value(self, place: int, value: list[Array] | bytes) -> Any:
        """Something that is too large to be sent with other tasks, as a future."""
        graph, found = Graph(), dict[int, Any]()
        found[place] = graph.add("bring", place, partial(bring, value))
        self.send(graph, found)
        return found[place]

    def send_bytes(self, value: bytes) -> list[Any]:
        """Many bytes, as several futures."""
        starts = range(0, len(value), MESSAGE_NBYTES)
        return [self.send_value(0, value[start : start + MESSAGE_NBYTES]) for start in starts]

    def _preferred_workers(self) -> tuple[str, ...]:
        """The worker that each place prefers; none at all while there is no worker."""
        if monotonic() - self._workers_at > WORKERS_SECONDS:
            self._workers = assign(self.places, self._workers, self._present_workers())
            self._workers_at = monotonic()
        return self._workers

    def _present_workers(self) -> list[str]:
        self.check_open()

        async def ask() -> list[str]:
            try:
                found = await self.client.nthreads()
                self.threads = max(1, min(found.values(), default=1))
                return list(found)
            except OSError as error:
                raise self.lost(None) from error

        return self.result(self.begin(ask()), self.timeout)

    # -- waiting -----------------------------------------------------------------------------------

    def begin(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Let the client's thread do something."""
        loop = self.client.loop.asyncio_loop
        later: Future[T] = Future()

        async def carry() -> None:
            # asyncio would hand over a copy of a TimeoutError, without its traceback.
            task = asyncio.current_task()

            def stop(_: Future[T]) -> None:
                if later.cancelled() and task is not None and not loop.is_closed():
                    loop.call_soon_threadsafe(task.cancel)

            later.add_done_callback(stop)
            try:
                found = await work
            except asyncio.CancelledError:
                if later.set_running_or_notify_cancel():
                    later.set_exception(self.lost(None))
            except Exception as error:
                if later.set_running_or_notify_cancel():
                    later.set_exception(error)
            else:
                if later.set_running_or_notify_cancel():
                    later.set_result(found)

        carrying = carry()
        try:
            asyncio.run_coroutine_threadsafe(carrying, loop)
        except RuntimeError as error:
            carrying.close()
            work.close()
            raise self.lost(None) from error
        return later

    def result(self, later: Future[T], timeout: float | None) -> T:
        """What the client's thread found; an error if it takes too long, or cannot be found."""
        if _is_running(self.client.loop.asyncio_loop):
            raise TaskError(
                "elements were waited for by the thread of Dask's client, which would have to "
                "bring them; wait in another thread, not in a callback"
            )
        end = None if timeout is None else monotonic() + timeout
        try:
            while True:
                left = CHECK_SECONDS if end is None else min(CHECK_SECONDS, end - monotonic())
                futures.wait([later], max(left, 0))
                if later.done():
                    return later.result()
                if not self._is_reachable():
                    raise self.lost(None)
                if end is not None and monotonic() >= end:
                    raise TaskTimeout(
                        f"elements are not there after {timeout} seconds; wait longer, or again"
                    )
        except futures.CancelledError as error:
            raise self.lost(None) from error
        finally:
            later.cancel()

    async def settled(self, shards: Mapping[int, Any]) -> None:
        """Return when all shards are there, or raise the first error."""
        watched = [asyncio.ensure_future(self._outcome(*one)) for one in shards.items()]
        if not watched:
            return
        try:
            done, _ = await asyncio.wait(watched, return_when=asyncio.FIRST_EXCEPTION)
        finally:
            for one in watched:
                one.cancel()
        errors = [one.exception() for one in watched if one in done]
        for error in errors:
            if error is not None:
                raise error

    async def ended(self, shards: list[Any]) -> None:
        """Return when all shards are there, or have failed."""
        await asyncio.gather(*[shard.exception() for shard in shards])

    async def gathered(self, shards: Mapping[int, Any]) -> dict[int, list[Array]]:
        """The shards themselves."""
        await self.settled(shards)
        # Gathers that run at the same time are one: the end of this one must not end others.
        gathering = asyncio.ensure_future(self.client.gather(list(shards.values())))
        try:
            found = await asyncio.shield(gathering)
        except (asyncio.CancelledError, OSError) as error:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            raise self.lost(next(iter(shards))) from error
        return dict(zip(shards, found, strict=True))

    async def _outcome(self, place: int, shard: Any) -> None:
        """Return when a shard is there, or raise what kept it from being made."""
        error = await shard.exception()
        if isinstance(error, KilledWorker):
            raise PlaceError(
                f"place {place} was lost: {error.allowed_failures + 1} workers died, each while "
                f"it ran the task {error.task!r}; the logs of the workers say why. Often it is "
                f"memory: use more places, or workers with more of it",
                place,
            )
        if error is not None:
            raise received(error).with_traceback(await shard.traceback())
        if shard.status == "cancelled":
            raise self.lost(place)


def _processes(count: int) -> Any:
    """A cluster of so many processes on this machine."""
    try:
        return LocalCluster(
            n_workers=count,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",  # None would take a port, too: one that may be in use
        )
    except RuntimeError as error:
        raise PlaceError(
            f"{count} processes of Dask could not be started ({error}). They start Python anew, so "
            f'a script that asks for them needs to do it under: if __name__ == "__main__":'
        ) from error


def _check_client(client: Any) -> None:
    if not isinstance(client, Client):
        raise ArgumentTypeError(
            f"a runtime of Dask needs a distributed.Client, got {client!r}; connect with "
            f"distributed.Client(address)"
        )
    if client.asynchronous:
        raise ArgumentError(
            "a runtime of Dask needs a client that other threads can wait for, got an asynchronous "
            "one; open it with distributed.Client(address), outside of coroutines"
        )


def _is_running(loop: Any) -> bool:
    """Whether this is the thread of the loop."""
    try:
        return asyncio.get_running_loop() is loop
    except RuntimeError:
        return False
