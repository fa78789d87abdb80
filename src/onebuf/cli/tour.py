"""The tour: what onebuf does, shown on a small scale. Every number in it is measured as it runs."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import onebuf
from onebuf.cli.picture import draw
from onebuf.cli.places import show_places
from onebuf.cli.sizes import sized
from onebuf.cli.stage import Stage
from onebuf.errors import ArgumentError, OnebufError
from onebuf.layout import View

MIB = 2**20
FILE_NBYTES = 2**30
WRITTEN_NBYTES = 32 * MIB


def show_tour(chapters: Sequence[str] = ()) -> None:
    """Run the chapters of these names, all of them by default."""
    for name in chapters:
        if name not in CHAPTERS:
            raise ArgumentError(f"the tour has the chapters {', '.join(CHAPTERS)}; got {name!r}")
    start = perf_counter()
    print(f"onebuf {onebuf.__version__}: one buffer for all memory")
    for number, (name, (title, chapter)) in enumerate(CHAPTERS.items(), 1):
        if not chapters or name in chapters:
            stage = Stage({"onebuf": onebuf, "Buffer": onebuf.Buffer})
            stage.title(f"{number}. {title}")
            chapter(stage)
    print(f"\nThat took {perf_counter() - start:.1f} seconds.")


def show_strides(stage: Stage) -> None:
    """Views as pictures."""
    stage.names["show"] = lambda buffer: stage.show(_picture(buffer))
    stage.say(
        """A buffer is flat storage and a rule for walking through it: where to start (the offset),
        and how far to step when an index grows by one (the stride). On the left below is the
        buffer; the number in a cell says which element of the storage, on the right, it is."""
    )
    stage.run("b = Buffer([[10, 11, 12, 13], [14, 15, 16, 17]])\nshow(b)")
    stage.say("Transposing moves no element. It exchanges the strides, no more:")
    stage.run("show(b.T)")
    stage.say("A slice starts later and leaves elements out, here the first and last columns:")
    stage.run("show(b[:, 1:3])")
    stage.say("Running backwards is a negative step from the far end:")
    stage.run("show(b.flip(1))")
    stage.say("A step of zero sees one row three times, though it is stored once:")
    stage.run("show(b[:1].expand(3, 4))")


def show_views(stage: Stage) -> None:
    """A write seen through a view, and what strides cannot do."""
    stage.say("All of these were views. They share the storage, so they see each other's writes:")
    stage.run(
        """
        b = Buffer([[10, 11, 12, 13], [14, 15, 16, 17]])
        right = b[:, 2:]
        right[...] = 0
        b
        right.is_view, right.base is b
        """
    )
    stage.say(
        """Some results are beyond strides: reading a transposed buffer row by row is no even walk
        through storage. Then there is a copy, unless you forbid it. Errors say what was needed,
        what came and what to do:"""
    )
    stage.run(
        """
        b.T.reshape(8).is_view
        b.T.reshape(8, copy=False)
        b.reshape(3, 3)
        """
    )


def show_exchange(stage: Stage) -> None:
    """Memory handed to NumPy and back."""
    stage.say(
        """Other libraries get the memory itself. Here it goes to NumPy and back, while the copies
        made, the bytes copied and the bytes taken from the pool are counted:"""
    )
    stage.run(
        """
        import numpy as np
        b = Buffer.uniform((1000, 1000)).realize()
        with onebuf.counters() as count:
            array = np.asarray(b)
            back = onebuf.asarray(array)
        count.copies, count.bytes_copied, count.bytes_allocated
        """
    )
    stage.say("No copy, and no memory taken: all three look at the same address.")
    stage.run(
        """
        from onebuf.compat.tinygrad import mv_address
        [hex(mv_address(one)) for one in (b.data, array, back.data)]
        array[0, 0] = 42
        b[0, 0].item(), back[0, 0].item()
        """
    )
    stage.say(
        """The array keeps the memory alive, so it can never show other data. Freeing by
        force is refused as long as it is there:"""
    )
    stage.run("b.free()")


def show_laziness(stage: Stage) -> None:
    """An expression explained, computed, and left alone by a later write."""
    stage.say(
        """Small operations run at once. On larger buffers they are noted down first, and run when
        a value is read. Here is an expression before anything was computed. Its three operations
        are going to be one pass over memory:"""
    )
    stage.run(
        """
        x = Buffer.uniform((4000, 1000)).realize()
        y = (x * 2 + 1).sum(axis=0)
        y
        print(y.explain())
        """
    )
    stage.say(
        """Looking at it computes it, once, in a kernel that is compiled for it. Kernels run, copies
        made, bytes taken:"""
    )
    stage.run(
        """
        with onebuf.counters() as count:
            print(y[:4])
        count.kernels, count.copies, count.bytes_allocated
        print(y.explain())
        """
    )
    stage.say(
        """Being lazy never changes a value. An expression means what its operands held when you
        wrote it down, even if they are overwritten before it is computed:"""
    )
    stage.run(
        """
        a = Buffer.ones(1_000_000).realize()
        total = (a * 2).sum()
        a[:] = 100
        total.item(), (a * 2).sum().item()
        """
    )


def show_layouts(stage: Stage) -> None:
    """Symmetric and sparse matrices, and products with labels."""
    stage.say(
        """Strides are one way to say where an element is. A layout can say more: which elements
        are equal, and which are 0. Then they are not stored. Half of a symmetric matrix is
        enough, and its values are asked for as a function of the index:"""
    )
    stage.run(
        """
        from onebuf import Layout
        from onebuf.symmetry import Symmetric
        alloc = onebuf.allocator()
        half = Layout((4, 4), symmetry=Symmetric(0, 1))
        s = alloc.construct(half, lambda i, j: i * j)
        s
        s.size, s.layout.stored, s.nbytes
        """
    )
    stage.say("A write to one element writes its mirror image, too, since they are the same:")
    stage.run("s[0, 3] = 7\ns[:, 0].tolist()\n(s * 2 + 1).layout")
    stage.say(
        """What cannot be symmetric is refused, and nothing is written; dense() gives a buffer that
        takes anything:"""
    )
    stage.run("s[:2, :2] = [[1, 2], [3, 4]]\ns[1].tolist(), s.dense().nbytes")
    stage.say(
        """A block-sparse matrix stores its blocks. Here they are eight on the diagonal, of 125 by
        125. A product goes over blocks, and is block-sparse again:"""
    )
    stage.run(
        """
        from onebuf.sparsity import Block
        shape = (1000, 1000)
        blocks = Block.tiles(shape, 125, nonzero=[(n, n) for n in range(8)])
        layout = Layout(shape, sparsity=blocks)
        a = alloc.construct(layout, lambda i, j: 1 / (1 + i + j))
        a.nbytes, a.dense().nbytes, a[0, 999].item()
        (a @ a).layout == a.layout
        """
    )
    stage.say(
        """Axes can have labels. A label that the result does not have is summed over, so that this
        is the same product, written with indices:"""
    )
    stage.run(
        """
        c = onebuf.zeros(shape)
        c["i,j"] = a["i,k"] * a["k,j"]
        onebuf.approximately_equal(c, a.dense() @ a.dense(), 1e-12)
        """
    )


def show_kinds(stage: Stage) -> None:
    """Elements that are made on demand, elements still to come, and computations as graphs."""
    stage.say(
        """When elements exist is a question of its own. These are made when they are read, from
        their index, and never stored. There are a million million of them:"""
    )
    stage.run(
        """
        table = onebuf.on_demand((10**6, 10**6), lambda i, j: i * 10 + j)
        table[3:5, 999_998:].tolist()
        with onebuf.counters() as c:
            total = table[:1000, :1000].sum().item()

        total, c.bytes_allocated
        """
    )
    stage.say(
        """These are still to come: a thread computes them. Expressions can be built at once, and
        whoever reads one waits:"""
    )
    stage.run(
        """
        later = onebuf.submit(onebuf.eye, 2, shape=(2, 2), dtype="float64")
        twice = later * 2
        twice.tolist(), later.done()
        """
    )
    stage.say(
        """A lazy computation is a graph. It can be drawn, kept as JSON, and run again on other
        inputs:"""
    )
    stage.run(
        """
        x = onebuf.ones((300, 300))
        graph = onebuf.OpGraph.of((x * 2 + 1).sum(axis=0), x=x)
        print(graph.draw())
        again = onebuf.OpGraph.from_json(graph.to_json())
        again(x=x * 3)[:3].tolist()
        """
    )


def show_files(stage: Stage) -> None:
    """A file opened without reading it."""
    stage.say(
        f"""A file is memory too. This one is {sized(FILE_NBYTES)} long, float32 in rows of 16384,
        and so far nothing but a promise of zeros:"""
    )
    with TemporaryDirectory(prefix="onebuf-tour-") as folder:
        if shutil.disk_usage(folder).free < 4 * WRITTEN_NBYTES:
            stage.say(f"This chapter needs {sized(4 * WRITTEN_NBYTES)} free in {folder}.")
            return
        stage.names["path"] = path = Path(folder, "big.bin")
        stage.names["progress"] = stage.progress
        before = _resident_nbytes()
        _, seconds, _ = stage.run(
            """
            with path.open("wb") as file:
                _ = file.truncate(2**30)
            big = onebuf.open(path, "r+", dtype="float32", shape=(-1, 16384))
            big.shape, big.nbytes
            """
        )
        stage.say(f"Opening took {1000 * seconds:.1f} ms. Slices write to the file, part by part:")
        seconds, _ = stage.run(
            """
            for part in progress(range(64)):
                big[256 * part : 256 * part + 8] = part
            big.close()
            """
        )
        on_disk = _size_on_disk(path)
        stage.say(
            f"{sized(WRITTEN_NBYTES)} in {seconds:.2f} s"
            + (f"; the file now takes {sized(on_disk)} of disk. " if on_disk else ". ")
            + "Opened again, read only, it gives any part of itself, in any order:"
        )
        stage.run(
            """
            big = onebuf.open(path, dtype="float32", shape=(-1, 16384))
            big.T[:3, ::4096]
            big[::4096].mean(axis=1).tolist()
            """
        )
        _say_memory(stage, before)
        stage.run("big.close()")


def show_devices(stage: Stage) -> None:
    """One expression on two devices, and replicas on their queues."""
    os.environ.setdefault("POCL_DEVICES", "pthread pthread")  # two, where PoCL is the driver
    try:
        names = [device.name for device in onebuf.devices("OPENCL")]
    except OnebufError as error:
        stage.say(f"There is no OpenCL: {error}. Other devices will do for this chapter.")
        names = ["CPU", "PYTHON"]
    stage.names["names"] = names[:2]
    stage.say("The same expression runs wherever its operands are. Here it runs on these:")
    stage.run(
        """
        names
        x = Buffer([[1, 2, 3], [4, 5, 6]], dtype="float32")
        for name in names:
            y = x.to_device(name)
            print((y * 2 + 1).sum(axis=0))
        """
    )
    stage.say(
        """Nothing travels that was not asked for, and operands are on one device. Mixing is an
        error, not a copy:"""
    )
    stage.run("x + y")
    stage.say(
        """A context is a list of queues and a device at once: a buffer on it has a replica on each
        queue, and computes on all of them. Here there are two queues on each device:"""
    )
    stage.run(
        """
        both = onebuf.context(names, queues=2)
        both
        b = x.to_device(both)
        [replica.tolist() for replica in b.sum(axis=1).read()]
        """
    )
    stage.say(
        """Each replica can be used alone. Once they differ, asking for one value is an error:"""
    )
    stage.run("b.replica(1)[0] = 0\nb.sum(axis=1).read(1).tolist()\nb.sum().item()")


def show_next(stage: Stage) -> None:
    """Where to read on."""
    stage.say("In the repository:")
    stage.show(
        """
README.md                 what there is today, and what is planned
docs/how-it-works.md      one line of code, followed through every layer
docs/buffers.md           strides, views, indexing, dtypes, errors
docs/layouts.md           symmetric, sparse and tiled buffers
docs/labels.md            contractions written with indices
docs/on-demand.md         elements that are made when they are read
docs/futures.md           elements that are still to come
docs/op-graphs.md         computations as graphs: drawn, kept, run again
docs/memory-exchange.md   NumPy, DLPack, Arrow, pickle, and who owns what
docs/files.md             files as memory
docs/devices.md           GPUs and other devices, queues, replicas
docs/random.md            random numbers that are the same everywhere
examples/                 short programs"""
    )
    stage.say(f"Any chapter can be seen on its own: onebuf tour {' | '.join(CHAPTERS)}")


CHAPTERS: dict[str, tuple[str, Callable[[Stage], None]]] = {
    "strides": ("Strides: one storage, many shapes", show_strides),
    "views": ("Views: a write seen everywhere", show_views),
    "exchange": ("Exchange: handed over, not copied", show_exchange),
    "laziness": ("Laziness: never computed in vain, never noticed", show_laziness),
    "layouts": ("Layouts: what is equal is stored once", show_layouts),
    "kinds": ("Kinds: made on demand, still to come", show_kinds),
    "files": ("Files: opened without reading", show_files),
    "devices": ("Devices: the same program, elsewhere", show_devices),
    "places": ("Places: one program, four processes", show_places),
    "next": ("Where to go next", show_next),
}


def _picture(buffer: onebuf.Buffer) -> str:
    return draw(View(buffer.shape, buffer.stride, buffer.offset), len(buffer.data))


def _say_memory(stage: Stage, before: int | None) -> None:
    after, pool = _resident_nbytes(), onebuf.memory_stats()["CPU"].in_use
    told = f"The pool has {sized(pool)} in use"
    if before is not None and after is not None:
        told += f", and the process holds {sized(max(0, after - before))} more than before the file"
    stage.say(f"{told} of {sized(FILE_NBYTES)} was opened: pages are read when they are touched.")


def _resident_nbytes() -> int | None:
    """Memory that the process occupies, where the system tells."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError, AttributeError):
        return None


def _size_on_disk(path: Path) -> int | None:
    blocks = getattr(path.stat(), "st_blocks", None)
    return None if blocks is None else 512 * blocks
