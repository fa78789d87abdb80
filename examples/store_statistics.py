"""Mean, variance and quantiles of a file that is larger than memory, read by places in parts.

The file is sparse: next to nothing of it is on the disk. Every place reads its own tiles, one at a
time, and nobody ever has the whole.

    python examples/store_statistics.py --gigabytes 40
    onebuf run -n 4 examples/store_statistics.py --runtime mpi
    python examples/store_statistics.py --runtime dask
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np

import onebuf

COLUMNS, BINS = 1024, 400


def make_file(path: Path, rows: int) -> None:
    """Zeros, but for some rows."""
    with path.open("wb") as file:
        file.truncate(rows * COLUMNS * 8)
        for row in range(0, rows, max(1, rows // 50)):
            file.seek(row * COLUMNS * 8)
            file.write(np.linspace(-1, 3, COLUMNS).tobytes())


def quantiles(path: Path, shape: tuple[int, int], rows: int, edges, wanted) -> list[float]:
    """Quantiles to the width of a bin: places count their tiles, and only the counts are summed."""

    def counts(first, last):
        """A row of counts for every tile; this runs where the tile's counts are to be."""
        table = np.memmap(path, np.float64, "r", shape=shape)
        tiles = [table[n * rows : (n + 1) * rows] for n in range(first[0], last[0])]
        return np.array([np.histogram(tile, edges)[0] for tile in tiles])

    tiles = -(-shape[0] // rows)
    table = onebuf.distributed((tiles, BINS), counts, tiles=(1, BINS), dtype="int64")
    below = np.cumsum(table.sum(axis=0).tolist())
    return [float(edges[np.searchsorted(below, q * below[-1])]) for q in wanted]


def run(name: str, gigabytes: float, path: Path) -> None:
    """Make the file, and look at it."""
    rows = max(64, int(gigabytes * 1e9) // (COLUMNS * 8))
    shape, tile = (rows, COLUMNS), max(1, min(8192, rows // 24))
    with onebuf.runtime(name, **({"places": 4} if name == "threads" else {})) as runtime:
        if runtime.rank == 0:
            make_file(path, rows)
        runtime.barrier()
        table = onebuf.open(path, dtype="float64", shape=shape).distribute(tiles=(tile, None))
        mean, variance = table.mean().item(), table.var().item()
        least, most = table.min().item(), table.max().item()
        edges = np.linspace(least, most, BINS + 1)
        found = quantiles(path, shape, tile, edges, (0.001, 0.5, 0.999))
        if runtime.rank == 0:
            on_disk = path.stat().st_blocks * 512 / path.stat().st_size
            print(f"{path.stat().st_size / 1e9:.2f} GB, {on_disk:.2%} of it on the disk")
            print(f"{runtime.places} places: mean {mean:.8f}, variance {variance:.8f}")
            print("quantiles 0.001, 0.5, 0.999:", [round(one, 2) for one in found])
        runtime.barrier()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--runtime", default="threads")
    parser.add_argument("--gigabytes", type=float, default=0.05)
    parser.add_argument("--file", type=Path, help="where to make it; a temporary file by default")
    arguments = parser.parse_args()
    if arguments.file is not None:
        run(arguments.runtime, arguments.gigabytes, arguments.file)
    else:
        path = Path(tempfile.gettempdir(), "onebuf-table.bin")  # the same for all processes
        run(arguments.runtime, arguments.gigabytes, path)
        path.unlink(missing_ok=True)
