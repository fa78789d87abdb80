"""Heat in a plate, by the same function on every device, and four plates at once on four queues."""

import os

os.environ.setdefault("POCL_DEVICES", "pthread pthread")  # two, where PoCL is the OpenCL driver

import numpy as np

import onebuf
from onebuf import Buffer
from onebuf.errors import OnebufError


def heat(plate: Buffer, steps: int) -> Buffer:
    """The plate after some time: each inner point becomes the mean of its neighbours."""
    for _ in range(steps):
        around = plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:]
        plate[1:-1, 1:-1] = around / 4
    return plate


def plate() -> Buffer:
    """A cold plate with one hot edge."""
    cold = Buffer.zeros((64, 64))
    cold[0] = 100
    return cold


expected = heat(plate(), 20).to_device("CPU")

for name in ("OPENCL", "OPENCL:1", "VULKAN", "CPU@1"):
    try:
        found = heat(plate().to_device(name), 20).to_device("CPU")
    except OnebufError as error:
        print(f"{name}: {error}")
        continue
    difference = abs(found - expected).max().item()
    print(f"{name}: {found[1, 32].item():.4f} degrees next to the edge, {difference:.1e} off")

# The same function on four queues, each with an edge of another temperature.
context = onebuf.context(["CPU"], queues=4)
plates = plate().to_device(context)
for index in range(len(context)):
    plates.replica(index)[0] = 100 * (index + 1)
heat(plates, 20)
print("next to each edge:", [round(float(replica[1, 32]), 2) for replica in plates.read()])
np.testing.assert_allclose(plates.read(0), np.asarray(expected))
