"""Plans for other devices than the host: the same schedule, run by the device's driver."""

from __future__ import annotations

from collections.abc import Sequence

from onebuf.backends.protocols import holds_arrays, runs_kernels
from onebuf.engine.step.device_step import ArrayStep, HostStep, LaunchStep
from onebuf.engine.step.plan import Numbers, Plan, Step
from onebuf.errors import DeviceError
from onebuf.graph import Node
from onebuf.machine import Device
from onebuf.scheduler import Item, schedule
from onebuf.scheduler.fuse.concat import ConcatKernel
from onebuf.scheduler.fuse.fusion import generated, group
from onebuf.scheduler.fuse.group import Group

Work = Group | ConcatKernel | Item


def work_on(device: Device, wanted: Sequence[Node], own: bool) -> list[Work]:
    """What makes ``wanted`` readable on their device, in order."""
    driver = device.driver
    if runs_kernels(driver):
        found = group(wanted, driver.supports, own)
        return [generated(w, driver.supports) if isinstance(w, Item) else w for w in found]
    if holds_arrays(driver):
        return list(schedule(wanted, own))
    raise DeviceError(
        f"{device} holds elements and computes nothing; copy them to a device that does: "
        f"x.to_device('CPU')"
    )


def plan_on(device: Device, works: Sequence[Work], walk: list[Node]) -> Plan:
    """The plan that runs ``works``, for graphs whose walk is like ``walk``."""
    numbers: Numbers = {}
    last: dict[int, int] = {}
    for at, work in enumerate(works):
        for node in _asked(work):
            numbers.setdefault(id(node), len(numbers))
            last[id(node)] = at
    steps: list[Step] = []
    for at, work in enumerate(works):
        step = _step(device, work, numbers)
        step.done = tuple([numbers[me] for me, where in last.items() if where == at])
        steps.append(step)
    walked = {id(node): number for number, node in enumerate(walk)}
    made = [walked[id(node)] for work in works for node in work.outputs]
    return Plan(steps, [walked[me] for me in numbers], made, 0, [], [], len(numbers))


def _asked(work: Work) -> Sequence[Node]:
    return [work.node] if isinstance(work, Item) else work.asked


def _step(device: Device, work: Work, numbers: Numbers) -> Step:
    if isinstance(work, Item):
        if holds_arrays(device.driver):
            return ArrayStep(device, work, numbers)
        return HostStep(device, work, numbers)
    return LaunchStep(device, work, numbers)
