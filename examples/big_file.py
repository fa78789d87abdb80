"""A file larger than one would want to read: opened, written and read in parts."""

from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import onebuf

ROWS, COLUMNS = 16_384, 16_384

with TemporaryDirectory() as folder:
    path = Path(folder, "table.bin")
    with path.open("wb") as file:
        file.truncate(ROWS * COLUMNS * 4)  # sparse: takes no room on the disk yet

    start = perf_counter()
    table = onebuf.open(path, "r+", dtype="float32", shape=(ROWS, COLUMNS))
    print(f"opened {table.nbytes / 2**30:g} GiB in {1000 * (perf_counter() - start):.1f} ms")

    table[4992] = onebuf.arange(COLUMNS)
    table[4990:4998, 7] += 0.5
    table.close()

    with onebuf.open(path, dtype="float32", shape=(ROWS, COLUMNS)) as table:
        print("a corner:", table[4992:4994, 5:9].tolist())
        print("part of a column, summed:", table[4990:5000, 7].sum().item())
        print("bytes in use by the pool:", onebuf.memory_stats()["CPU"].in_use)
