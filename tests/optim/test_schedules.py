"""Schedules: learning rates by the number of steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from onebuf import optim
from onebuf.errors import ArgumentError
from onebuf.tensor import Tensor


def optimizer(*rates: float) -> optim.Optimizer:
    groups = [{"params": [Tensor([1.0], requires_grad=True)], "lr": lr} for lr in rates]
    return optim.SGD(groups)


def rates_of(make: Callable[[Any], optim.LambdaLR], count: int) -> list[float]:
    one = optimizer(1.0)
    schedule = make(one)
    found = []
    for _ in range(count):
        found.append(round(one.lr, 6))
        schedule.step()
    return found


def test_the_factor_is_applied_to_every_group() -> None:
    one = optimizer(1.0, 0.1)
    schedule = optim.LambdaLR(one, lambda step: 0.5**step)
    schedule.step()
    assert schedule.get_last_lr() == [0.5, 0.05]
    assert [group.lr.item() for group in one.groups] == [0.5, 0.05]


def test_rates_are_written_in_place() -> None:
    one = optimizer(1.0)
    memory = one.groups[0].lr
    optim.StepLR(one, 1).step()
    assert one.groups[0].lr is memory


@pytest.mark.parametrize(
    "make, wanted",
    [
        (lambda o: optim.ConstantLR(o, 0.5, 2), [0.5, 0.5, 1.0, 1.0]),
        (lambda o: optim.StepLR(o, 2, 0.1), [1.0, 1.0, 0.1, 0.1, 0.01]),
        (lambda o: optim.LinearLR(o, 1.0, 0.0, 4), [1.0, 0.75, 0.5, 0.25, 0.0, 0.0]),
        (lambda o: optim.CosineLR(o, 4), [1.0, 0.853553, 0.5, 0.146447, 0.0, 0.0]),
        (lambda o: optim.CosineLR(o, 4, 2, 0.2), [0.5, 1.0, 1.0, 0.6, 0.2]),
    ],
)
def test_rates_follow_their_formula(make: Any, wanted: list[float]) -> None:
    assert rates_of(make, len(wanted)) == wanted


def test_a_schedule_goes_on_where_another_was() -> None:
    one, two = optimizer(1.0), optimizer(7.0)
    schedule = optim.CosineLR(one, 10)
    for _ in range(3):
        schedule.step()
    again = optim.CosineLR(two, 10)
    again.load_state_dict(schedule.state_dict())
    assert two.lr == one.lr
    schedule.step()
    again.step()
    assert two.lr == one.lr


def test_wrong_settings_are_named() -> None:
    with pytest.raises(ArgumentError, match="warmup=4 and total=4"):
        optim.CosineLR(optimizer(1.0), 4, 4)
    with pytest.raises(ArgumentError, match="step_size of at least 1, got 0"):
        optim.StepLR(optimizer(1.0), 0)
    with pytest.raises(ArgumentError, match="total_iters of at least 1"):
        optim.LinearLR(optimizer(1.0), total_iters=0)
    with pytest.raises(ArgumentError, match="each of 1 groups, got 2"):
        optim.StepLR(optimizer(1.0), 1).load_state_dict({"last_step": 1, "base_lrs": [1, 2]})
