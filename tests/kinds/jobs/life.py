"""What every runtime has to do with buffers beyond random programs; every process runs this."""

import gc
import sys
import tempfile
from pathlib import Path

import numpy as np

import onebuf
from onebuf.events import Moved, listening


def table(rows=20, columns=6):
    return np.arange(float(rows * columns)).reshape(rows, columns)


def moved(call):
    heard = []
    with listening(lambda event: heard.append(event) if isinstance(event, Moved) else None):
        call()
    return sum(event.nbytes for event in heard if event.target is not None)


def check(opened):
    x = onebuf.asarray(table()).distribute(tiles=(3, None))
    y = onebuf.distributed((20, 6), lambda i, j: i * 6.0 + j, tiles=(3, None))
    assert moved((x * y + 1).realize) == 0
    assert np.array_equal((x * y + 1).to_local(), table() ** 2 + 1)
    assert moved(x.sum().realize) <= 64 * opened.places
    part = x.slice((2, 1), (9, 4))
    assert np.array_equal(part.local_buffer(), table()[2:9, 1:4])
    assert np.array_equal(part.fetch().result(), table()[2:9, 1:4])
    if opened.mode == "spmd":
        boxes = x.local_boxes()
        assert [box for box, _ in boxes] == list(x.placement.boxes(opened.here))
        for box, mine in boxes:
            assert np.array_equal(mine, table()[tuple(slice(*one) for one in box)])
        opened.barrier()
    if opened.rank == 0:  # from one process alone
        x.slice((0, 0), (20, 1)).write(np.zeros((20, 1)))
        x.slice((5, 5), (6, 6)).accumulate(100.0)
    opened.barrier()
    wanted = table()
    wanted[:, 0] = 0
    wanted[5, 5] += 100
    assert np.array_equal(x.to_local(), wanted)

    # a function that is wrong at one place is an error everywhere, and nothing has changed
    def wrong(box):
        return np.ones((1, 1)) if box.first[0] >= 9 else np.ones(box.shape)

    for _ in range(2):
        try:
            onebuf.distributed(
                (20, 6), wrong, tiles=(3, None), dtype="float64"
            ).realize().sum().item()
        except (onebuf.errors.ShapeError, onebuf.errors.PlaceError) as error:
            if "shape" not in str(error):
                raise
        else:
            raise AssertionError("a wrong shape was taken")
    assert np.array_equal((x + 0).to_local(), wanted)

    # random numbers are one supply, seeded or not
    here = np.asarray(onebuf.random.uniform(size=5))
    assert np.array_equal(onebuf.asarray(here).distribute(tiles=1).to_local(), here)
    drawn = onebuf.random.normal(size=(50, 4)).distribute(tiles=(7, None))
    assert float((drawn - drawn.replicate()).abs().max()) == 0

    # to every place and back
    copies = x.allocator.rebind(onebuf.ReplicatedBuffer).construct(x)
    assert moved((x + copies).realize) == 0
    assert np.array_equal(copies.local_buffer(), wanted)
    assert np.array_equal(x.redistribute(tiles=(20, 2)).to_local(), wanted)

    # files: each place reads and one writes
    folder = Path(tempfile.gettempdir(), f"onebuf-life-{sys.argv[2]}")
    if opened.rank == 0:
        folder.mkdir(exist_ok=True)
        np.save(folder / "table.npy", table())
    opened.barrier()
    source = onebuf.open(folder / "table.npy").distribute(tiles=(4, None))
    assert np.allclose((source - source.mean(axis=0)).to_local(), table() - table().mean(0))
    onebuf.save(folder / "twice.npy", source * 2)
    opened.barrier()
    assert np.array_equal(np.load(folder / "twice.npy"), table() * 2)
    opened.barrier()

    # dropped buffers leave memory where it began
    count = int(sys.argv[3])
    gc.collect()
    before = opened.memory_in_use()
    for number in range(count):
        y = x + number
        y.realize()
    del y
    gc.collect()
    opened.barrier()
    (x + 1).realize()
    after = opened.memory_in_use()
    assert sum(after) <= sum(before) + 3 * x.nbytes, (before, after)


if __name__ == "__main__":
    places = {"places": int(sys.argv[4])} if len(sys.argv) > 4 else {}
    with onebuf.runtime(sys.argv[1], **places) as opened:
        check(opened)
        if opened.rank == 0:
            print("checked", opened.places)
