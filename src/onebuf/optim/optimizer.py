"""Optimisers: what changes parameters by their gradients.

Everything that changes from step to step is in buffers that are written in place: parameters,
moments, the number of steps and the learning rate. So a function that was captured with all of them
goes on from where they are, whatever learning rate is set in between.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from onebuf import dtypes
from onebuf.buffer import Buffer
from onebuf.engine import realize
from onebuf.errors import ArgumentError, ArgumentTypeError, DeviceError, ShapeError
from onebuf.tensor import Tensor, no_grad


class Group:
    """Parameters that are changed in the same way: ``lr`` is a buffer of one number."""

    def __init__(self, params: list[Tensor], lr: float, settings: dict[str, Any]) -> None:
        self.params = params
        self.lr = _number(lr, params[0])
        self.settings = settings
        """What does not change from step to step, by name."""
        self.moments: dict[str, list[Buffer]] = {}
        """Buffers of the shape of each parameter, by name."""

    def add_moment(self, name: str) -> None:
        """Keep a buffer of zeros for every parameter."""
        self.moments[name] = [
            Buffer.zeros(p.shape, p.dtype, device=p.device).realize() for p in self.params
        ]


class Optimizer:
    """Base of optimisers: subclasses say in `update` what one step does to one group.

    ``params`` are tensors, or dicts with ``"params"`` and settings of their own for these, such as
    ``{"params": [...], "weight_decay": 0.0}``.
    """

    def __init__(self, params: Iterable[Any], lr: float, **settings: Any) -> None:
        check_at_least(0, lr=lr)
        given = list(params)
        if not any(isinstance(part, Mapping) for part in given):
            given = [{"params": given}]
        self.groups = [_group(part, lr, settings) for part in given]
        everything = [p for group in self.groups for p in group.params]
        if len({id(p) for p in everything}) < len(everything):
            raise ArgumentError("an optimiser needs every parameter once, got one twice")
        if len({p.device for p in everything}) > 1:
            raise DeviceError(
                "an optimiser needs its parameters on one device; make one for each device"
            )
        self.steps = _number(0.0, everything[0])
        """How many steps were made."""

    @property
    def lr(self) -> float:
        """The learning rate of the first group; setting it sets that of all."""
        return self.groups[0].lr.item()  # type: ignore[no-any-return]

    @lr.setter
    def lr(self, lr: float) -> None:
        check_at_least(0, lr=lr)
        for group in self.groups:
            group.lr[...] = lr

    def zero_grad(self) -> None:
        """Forget the gradients of all parameters."""
        for group in self.groups:
            for p in group.params:
                p.grad = None

    @no_grad()
    def step(self) -> None:
        """Change all parameters that have a gradient, in place."""
        wanted = [
            (group, place, p, p.grad.data)
            for group in self.groups
            for place, p in enumerate(group.params)
            if p.grad is not None
        ]
        for _, _, p, gradient in wanted:
            if gradient.shape != p.shape:
                raise ShapeError(
                    f"a gradient needs the shape of its parameter, {p.shape}, got {gradient.shape}"
                )
        realize([gradient._node for _, _, _, gradient in wanted])
        self.steps += 1
        for group in self.groups:
            mine = [(place, p, g) for owner, place, p, g in wanted if owner is group]
            if mine:
                self.update(group, mine)

    def update(self, group: Group, wanted: list[tuple[int, Tensor, Buffer]]) -> None:
        """Change parameters of ``group``; each comes with its place there and its gradient."""
        raise NotImplementedError(f"{type(self).__name__} needs a method update(group, wanted)")

    # -- state -------------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Buffer]:
        """All buffers by name, shared; they can be saved as a model's are."""
        state = {"steps": self.steps}
        for number, group in enumerate(self.groups):
            state[f"{number}.lr"] = group.lr
            for name, moments in group.moments.items():
                for place, moment in enumerate(moments):
                    state[f"{number}.{name}.{place}"] = moment
        return state

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Write the buffers of another optimiser to those of this one."""
        mine = self.state_dict()
        if mine.keys() != set(state):
            apart = sorted(mine.keys() ^ set(state))
            raise ArgumentError(
                f"load_state_dict needs the state of an optimiser of this kind, with as many "
                f"parameters; {apart[0]!r} is on one side only"
            )
        found = {name: _buffer(state[name]) for name in mine}
        for name, buffer in found.items():
            if buffer.shape != mine[name].shape:
                raise ShapeError(f"{name} needs shape {mine[name].shape}, got {buffer.shape}")
        for name, buffer in found.items():
            if buffer is not mine[name]:
                mine[name][...] = buffer.to_device(mine[name].device)


def check_at_least(least: float, **named: float) -> None:
    """Raise for a setting that is below ``least``."""
    for name, value in named.items():
        if not value >= least:
            raise ArgumentError(f"{name} needs to be at least {least}, got {value}")


def _group(part: Any, lr: float, settings: dict[str, Any]) -> Group:
    if not isinstance(part, Mapping) or "params" not in part:
        raise ArgumentTypeError(
            f"an optimiser needs tensors, or dicts with 'params' alone, got {type(part).__name__}"
        )
    given = part["params"]
    params = [given] if isinstance(given, Tensor) else list(given)
    if not params:
        raise ArgumentError("an optimiser needs parameters, got none; pass model.parameters()")
    for p in params:
        if not isinstance(p, Tensor) or not p.is_leaf or not p.requires_grad:
            raise ArgumentTypeError(
                f"an optimiser needs leaves that require a gradient, got {type(p).__name__}; make "
                f"them with Tensor(x, requires_grad=True)"
            )
    own = {name: value for name, value in part.items() if name not in ("params", "lr")}
    unknown = sorted(set(own) - set(settings))
    if unknown:
        raise ArgumentTypeError(
            f"a group has no setting {unknown[0]!r}; there are lr, {', '.join(settings)}"
        )
    rate = part.get("lr", lr)
    check_at_least(0, lr=rate)
    return Group(params, rate, settings | own)


def _number(value: float, like: Tensor) -> Buffer:
    """One number in memory, on the device of ``like``."""
    return Buffer.full((), value, dtypes.float64, device=like.device).realize()


def _buffer(value: Any) -> Buffer:
    if isinstance(value, Tensor):
        return value.data
    return value if isinstance(value, Buffer) else Buffer(value)
