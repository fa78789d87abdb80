"""Futures: parts of a computation that other threads bring, in one expression."""

import asyncio
import time

import numpy as np

import onebuf


def measured(sensor: int) -> np.ndarray:
    """Something slow, such as a download."""
    time.sleep(0.02 * sensor)
    return np.linspace(0, sensor, 5)


# Shapes and dtypes are known, so the whole expression is built before any part is there.
parts = [onebuf.submit(measured, sensor, shape=5, dtype="float64") for sensor in range(1, 5)]
mean = sum(parts[1:], start=parts[0]) / len(parts)
print("built at once:", mean.shape, "and done:", [part.done() for part in parts].count(True) == 4)
print("the mean, when all have come:", mean.tolist())

# Nobody knows how many lines a file has: operations are queued, and give futures as well.
table = onebuf.submit(lambda: np.arange(12.0).reshape(-1, 3))
scaled = (table - table.min()) / (table.max() - table.min())
print("\nscaled to 0 ... 1, last row:", scaled[-1].tolist())

# Tasks may depend on others; they begin when those are done, and no thread waits for that.
total = onebuf.submit(onebuf.sum, table)
print("\na task on a task:", onebuf.submit(onebuf.divide, table, total)[0].tolist())


def broken() -> None:
    """A task with a mistake."""
    raise ValueError("no such sensor")


failed = onebuf.submit(broken, shape=5, dtype="float64")
for number in (1, 2):
    try:
        (failed + mean).tolist()
    except ValueError as error:
        print(f"access {number} to what depends on a failed task: {error}")


async def main() -> None:
    """Awaiting does not block the loop."""
    found = await asyncio.gather(*[onebuf.submit(measured, sensor) for sensor in (1, 2)])
    print("\nawaited:", [buffer.sum().item() for buffer in found])


asyncio.run(main())
