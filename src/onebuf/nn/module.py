"""Modules: parameters by name, and a function that uses them.

A module is any object whose attributes are tensors and other modules. Tensors that require a
gradient are its parameters, other tensors its buffers; both are its state. Lists, tuples and dicts
of modules count as well, by index or key. Attributes that begin with an underscore are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from textwrap import indent
from typing import Any, NamedTuple, Self

from onebuf.buffer import Buffer
from onebuf.errors import ArgumentError, ShapeError
from onebuf.tensor import Tensor


class Difference(NamedTuple):
    """What `Module.load_state_dict` did not find, and what it had no use for."""

    missing: list[str]
    unexpected: list[str]


class Module:
    """Base of layers and models: write ``__init__`` and ``forward``.

    >>> from onebuf import nn
    >>> class Net(nn.Module):
    ...     def __init__(self):
    ...         self.layers = [nn.Linear(3, 4), nn.Linear(4, 2)]
    ...     def forward(self, x):
    ...         return self.layers[1](self.layers[0](x).relu())
    >>> net = Net()
    >>> [name for name, _ in net.named_parameters()]
    ['layers.0.weight', 'layers.0.bias', 'layers.1.weight', 'layers.1.bias']
    >>> net(nn.Tensor.ones((5, 3))).shape
    (5, 2)
    """

    training: bool
    """Whether the module is being trained: dropout does nothing otherwise."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """A module in training mode; subclasses need not call ``super().__init__()``."""
        self = super().__new__(cls)
        self.training = True
        return self

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the module computes."""
        raise NotImplementedError(f"{type(self).__name__} needs a method forward(self, ...)")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """`forward`."""
        return self.forward(*args, **kwargs)

    # -- parts -------------------------------------------------------------------------------------

    def _parts(self) -> Iterator[tuple[str, Any]]:
        """Tensors and modules directly in this one, by name."""
        for name, value in vars(self).items():
            if not name.startswith("_"):
                yield from _parts_of(name, value)

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """The modules directly in this one, by name."""
        return ((name, part) for name, part in self._parts() if isinstance(part, Module))

    def children(self) -> Iterator[Module]:
        """The modules directly in this one."""
        return (child for _, child in self.named_children())

    def named_modules(self, prefix: str = "") -> Iterator[tuple[str, Module]]:
        """This module, and all modules in it, by name; each once."""
        todo, visited = [(prefix, self)], set[int]()
        while todo:
            name, module = todo.pop()
            if id(module) in visited:
                continue
            visited.add(id(module))
            yield name, module
            found = [(_joined(name, part), child) for part, child in module.named_children()]
            todo.extend(reversed(found))

    def modules(self) -> Iterator[Module]:
        """This module, and all modules in it; each once."""
        return (module for _, module in self.named_modules())

    def named_parameters(self) -> Iterator[tuple[str, Tensor]]:
        """The tensors that require a gradient, by name; each once, under its first name."""
        return ((name, tensor) for name, tensor in self._once() if tensor.requires_grad)

    def parameters(self) -> Iterator[Tensor]:
        """The tensors that require a gradient; each once."""
        return (tensor for _, tensor in self.named_parameters())

    def named_buffers(self) -> Iterator[tuple[str, Tensor]]:
        """The tensors that require no gradient, by name; each once, under its first name."""
        return ((name, tensor) for name, tensor in self._once() if not tensor.requires_grad)

    def buffers(self) -> Iterator[Tensor]:
        """The tensors that require no gradient; each once."""
        return (tensor for _, tensor in self.named_buffers())

    def _named_tensors(self) -> Iterator[tuple[str, Tensor]]:
        """Every tensor, under every name that it has."""
        todo: list[tuple[str, Any]] = [("", self)]
        while todo:
            name, part = todo.pop()
            if isinstance(part, Tensor):
                yield name, part
                continue
            found = [(_joined(name, inner), value) for inner, value in part._parts()]
            todo.extend(reversed(found))

    def _once(self) -> Iterator[tuple[str, Tensor]]:
        visited = set[int]()
        for name, tensor in self._named_tensors():
            if id(tensor) not in visited:
                visited.add(id(tensor))
                yield name, tensor

    # -- state -------------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Buffer]:
        """The elements of all tensors by name, shared: a file of them is
        ``onebuf.save("model.safetensors", module.state_dict())``."""
        return {name: tensor.data for name, tensor in self._named_tensors()}

    def load_state_dict(self, state: Mapping[str, Any], strict: bool = True) -> Difference:
        """Write elements to the tensors of the same names, in place.

        ``state`` is a mapping from names to buffers, tensors or arrays, such as
        ``onebuf.open("model.safetensors")``. With ``strict``, all names have to be on both sides;
        nothing is written if they are not, or if a shape differs.
        """
        mine = dict(self._named_tensors())
        missing = [name for name in mine if name not in state]
        unexpected = [name for name in state if name not in mine]
        if strict and (missing or unexpected):
            raise ArgumentError(
                f"load_state_dict needs the names of {type(self).__name__}; missing are "
                f"{_listed(missing)}, and there is no place for {_listed(unexpected)}; pass "
                f"strict=False to load what fits"
            )
        found = {name: _buffer(state[name]) for name in mine if name in state}
        for name, value in found.items():
            if value.shape != mine[name].shape:
                raise ShapeError(
                    f"{name} needs shape {mine[name].shape}, got {value.shape}; build the module "
                    f"with the sizes that were saved"
                )
        for name, value in found.items():
            target = mine[name].data
            if value is not target:
                target[...] = value.astype(target.dtype, copy=False).to_device(target.device)
        return Difference(missing, unexpected)

    # -- changes -----------------------------------------------------------------------------------

    def train(self, mode: bool = True) -> Self:
        """This module, and all in it, in training mode."""
        for module in self.modules():
            module.training = mode
        return self

    def eval(self) -> Self:
        """This module, and all in it, as they are used after training."""
        return self.train(False)

    def zero_grad(self) -> None:
        """Forget the gradients of all parameters."""
        for tensor in self.parameters():
            tensor.grad = None

    def requires_grad_(self, required: bool = True) -> Self:
        """Let all tensors of floats require a gradient, or none."""
        for _, tensor in self._once():
            if not required or tensor.dtype.kind == "f":
                tensor.requires_grad = required
        return self

    def to(self, device: Any) -> Self:
        """This module with all tensors on ``device``; make optimisers after that."""
        for _, tensor in self._once():
            tensor.data = tensor.data.to_device(device)
        return self

    def apply(self, function: Callable[[Module], Any]) -> Self:
        """Call ``function`` on all modules in this one, the inner ones first, and on itself."""
        for module in reversed(list(self.modules())):
            function(module)
        return self

    def __repr__(self) -> str:
        parts = [f"({name}): {child!r}" for name, child in self.named_children()]
        if not parts:
            return f"{type(self).__name__}({self.extra_repr()})"
        inside = indent("\n".join(parts), "  ")
        return f"{type(self).__name__}({self.extra_repr()}\n{inside}\n)"

    def extra_repr(self) -> str:
        """What `repr` says about the module besides its parts."""
        return ""


class ModuleList(Module):
    """A list of modules, named by their places.

    >>> from onebuf import nn
    >>> layers = nn.ModuleList([nn.Linear(2, 2, bias=False) for _ in range(2)])
    >>> len(layers), list(layers.state_dict())
    (2, ['0.weight', '1.weight'])
    """

    def __init__(self, modules: Any = ()) -> None:
        self._modules = list(modules)

    def _parts(self) -> Iterator[tuple[str, Any]]:
        return ((str(place), module) for place, module in enumerate(self._modules))

    def append(self, module: Module) -> None:
        """Add a module at the end."""
        self._modules.append(module)

    def __getitem__(self, place: int) -> Module:
        return self._modules[place]  # type: ignore[no-any-return]

    def __iter__(self) -> Iterator[Module]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)


class Sequential(ModuleList):
    """Modules one after another: each gets what the one before it gave.

    >>> from onebuf import nn
    >>> nn.Sequential(nn.Linear(3, 4), nn.ReLU())(nn.Tensor.ones((1, 3))).shape
    (1, 4)
    """

    def __init__(self, *modules: Any) -> None:
        super().__init__(modules)

    def forward(self, x: Any) -> Any:
        """The result of the last module."""
        for module in self._modules:
            x = module(x)
        return x


def _parts_of(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Tensor | Module):
        yield name, value
    elif isinstance(value, list | tuple):
        for place, part in enumerate(value):
            yield from _parts_of(f"{name}.{place}", part)
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from _parts_of(f"{name}.{key}", part)


def _joined(prefix: str, name: str) -> str:
    return f"{prefix}.{name}" if prefix else name


def _buffer(value: Any) -> Buffer:
    if isinstance(value, Tensor):
        return value.data
    return value if isinstance(value, Buffer) else Buffer(value)


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:5]) or "none"
    return f"{shown} and {len(names) - 5} more" if len(names) > 5 else shown
