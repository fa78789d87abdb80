"""The heat equation on a plate that is cut over places: neighbours exchange the rows at the cuts.

python examples/heat.py                       places are parts of this process
onebuf run -n 4 examples/heat.py mpi          every process is a place
python examples/heat.py dask                  the workers of a Dask cluster are the places
"""

import sys

import numpy as np

import onebuf
from onebuf.events import Moved, listening

STEPS, SIZE = 25, (64, 48)


def start(i, j):
    """A warm disc on a cold plate, as an expression of the index."""
    return onebuf.where((i - 20) ** 2 + (j - 24) ** 2 < 100, 1.0, 0.0)


def run(name: str) -> None:
    """Diffuse, and compare with the same in NumPy."""
    options = {"places": 4} if name == "threads" else {}
    with onebuf.runtime(name, **options) as runtime:
        plate = onebuf.distributed(SIZE, start, tiles=(16, None))
        moved = []
        with listening(lambda event: moved.append(event) if isinstance(event, Moved) else None):
            for _ in range(STEPS):
                centre = plate[1:-1, 1:-1]
                around = plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:]
                plate[1:-1, 1:-1] = centre + 0.2 * (around - 4 * centre)
        total, hottest = plate.sum().item(), plate.max().item()
        found = np.asarray(plate.to_local())
        if runtime.rank == 0:
            nbytes = sum(event.nbytes for event in moved if event.target is not None)
            print(f"{runtime.places} places, {STEPS} steps: heat {total:.6f}, most {hottest:.6f}")
            if runtime.mode == "driver":
                print(f"moved between places: {nbytes} bytes of {STEPS * found.nbytes} computed")
            print("as in NumPy:", np.allclose(found, in_numpy()))


def in_numpy() -> np.ndarray:
    """The same on one array."""
    i, j = np.meshgrid(*map(np.arange, SIZE), indexing="ij")
    plate = np.where((i - 20) ** 2 + (j - 24) ** 2 < 100, 1.0, 0.0)
    for _ in range(STEPS):
        centre = plate[1:-1, 1:-1]
        around = plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:]
        plate[1:-1, 1:-1] = centre + 0.2 * (around - 4 * centre)
    return plate


if __name__ == "__main__":
    run(sys.argv[1] if len(sys.argv) > 1 else "threads")
