"""A product of two matrices that no place has as a whole, and what moves for it.

python examples/matmul.py                     places are parts of this process
onebuf run -n 4 examples/matmul.py mpi        every process is a place
python examples/matmul.py dask                the workers of a Dask cluster are the places
"""

import sys

import numpy as np

import onebuf


def run(name: str) -> None:
    """Multiply, and look at a corner of the result."""
    options = {"places": 4} if name == "threads" else {}
    with onebuf.runtime(name, **options) as runtime:
        a = onebuf.distributed((240, 160), lambda i, j: (i * 7 + j * 3) % 11 * 1.0, tiles=(60, 160))
        b = onebuf.distributed((160, 120), lambda i, j: (i * 5 + j) % 13 * 1.0, tiles=(160, 30))
        product = a @ b
        said = product.explain()
        corner = np.asarray(product.slice((0, 0), (2, 3)).local_buffer())
        norm = onebuf.sqrt((product * product).sum()).item()
        whole = np.asarray(product.to_local())
        wanted = np.asarray(a.to_local()) @ np.asarray(b.to_local())
        if runtime.rank == 0:
            print(said.splitlines()[0].partition(" on ")[0], "is planned:")
            print(*[line.strip() for line in said.splitlines()[2:4]], sep="\n")
            print("a corner, of which just these elements were pulled:", corner.tolist())
            print(f"norm {norm:.3f}; as in NumPy: {np.allclose(whole, wanted)}")


if __name__ == "__main__":
    run(sys.argv[1] if len(sys.argv) > 1 else "threads")
