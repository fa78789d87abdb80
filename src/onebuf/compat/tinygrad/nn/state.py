"""``tinygrad.nn.state``: the tensors of a model by name, and files of them.

A model is any object: its tensors are found in its attributes, and in lists, tuples and dicts.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

import onebuf
from onebuf.compat.tinygrad.tensor import Tensor
from onebuf.errors import ArgumentError, ShapeError


def get_state_dict(obj: Any, prefix: str = "", tensor_type: type = Tensor) -> dict[str, Any]:
    """The tensors of ``obj`` by name.

    >>> from onebuf.compat.tinygrad import nn
    >>> list(get_state_dict([nn.Linear(2, 3), nn.Linear(3, 1, bias=False)]))
    ['0.weight', '0.bias', '1.weight']
    """
    return dict(_named(obj, prefix.strip("."), tensor_type))


def _named(obj: Any, name: str, kind: type) -> Iterator[tuple[str, Any]]:
    if isinstance(obj, kind):
        yield name, obj
        return
    parts: Any = ()
    if hasattr(obj, "_asdict"):
        parts = obj._asdict().items()
    elif isinstance(obj, dict):
        parts = obj.items()
    elif isinstance(obj, list | tuple):
        parts = enumerate(obj)
    elif hasattr(obj, "__dict__"):
        parts = vars(obj).items()
    for key, part in parts:
        yield from _named(part, f"{name}.{key}" if name else str(key), kind)


def get_parameters(obj: Any) -> list[Tensor]:
    """The tensors of ``obj``, those without a gradient included.

    >>> from onebuf.compat.tinygrad import nn
    >>> [tensor.shape for tensor in get_parameters(nn.Linear(2, 3))]
    [(3, 2), (3,)]
    """
    return list(get_state_dict(obj).values())


def load_state_dict(
    model: Any,
    state_dict: Mapping[str, Tensor],
    strict: bool = True,
    verbose: bool = True,
    consume: bool = False,
) -> list[Tensor]:
    """Write tensors to those of ``model`` with the same names; the tensors that were written.

    With ``strict``, every tensor of the model has to be there. ``consume`` takes what was loaded
    out of ``state_dict``. Nothing is printed, whatever ``verbose`` says.
    """
    mine = get_state_dict(model)
    missing = [name for name in mine if name not in state_dict]
    if strict and missing:
        raise ArgumentError(
            f"load_state_dict needs every tensor of the model, and {missing[0]!r} is missing; pass "
            "strict=False to load what is there"
        )
    found = [(name, tensor) for name, tensor in mine.items() if name in state_dict]
    for name, tensor in found:
        if state_dict[name].shape != tensor.shape:
            raise ShapeError(
                f"{name} needs shape {tensor.shape}, got {state_dict[name].shape}; build the model "
                "with the sizes that were saved"
            )
    for name, tensor in found:
        tensor.assign(state_dict[name].to(tensor.device))
        if consume:
            del state_dict[name]  # type: ignore[attr-defined]
    return [tensor for _, tensor in found]


def safe_save(
    tensors: Mapping[str, Tensor],
    fn: str | os.PathLike[str],
    metadata: Mapping[str, str] | None = None,
) -> None:
    """Write tensors by name to a .safetensors file."""
    buffers = {name: tensor._tensor.data for name, tensor in tensors.items()}
    onebuf.save(fn, buffers, format="safetensors", metadata=metadata)


def safe_load(fn: str | os.PathLike[str]) -> dict[str, Tensor]:
    """The tensors in a .safetensors file by name.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     safe_save({"t": Tensor([1, 2, 3])}, f"{folder}/test.safetensors")
    ...     safe_load(f"{folder}/test.safetensors")["t"].tolist()
    [1, 2, 3]
    """
    archive: Any = onebuf.open(fn, format="safetensors")
    return {name: Tensor(archive[name]) for name in archive}
