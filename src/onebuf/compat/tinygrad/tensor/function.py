"""tinygrad's ``Function``: an operation on tensors with a gradient of its own."""

from __future__ import annotations

from typing import Any

from onebuf import tensor as ours
from onebuf.compat.tinygrad.tensor.core import TensorCore, unwrap
from onebuf.compat.tinygrad.tensor.tensor import Tensor
from onebuf.errors import ArgumentTypeError


class Function(ours.Function):
    """An operation with a gradient of its own: subclass it, and call it by `apply`.

    ``forward`` gets the buffers of the tensors, which are onebuf's, and ``backward`` the gradients
    of the results. ``self.needs_input_grad``, ``self.requires_grad``, ``self.device`` and
    ``self.metadata`` say what a call is about.

    >>> class Cube(Function):
    ...     def forward(self, x):
    ...         self.x = x
    ...         return x * x * x
    ...     def backward(self, grad_output):
    ...         return grad_output * self.x * self.x * 3
    >>> x = Tensor([2.0, 3.0], requires_grad=True)
    >>> _ = Cube.apply(x).sum().backward()
    >>> x.grad.tolist()
    [12.0, 27.0]
    """

    @classmethod
    def apply(cls, *x: Any, **kwargs: Any) -> Any:
        """Call ``forward`` on tensors; the result is a tensor, or a tuple of tensors."""
        if not any(isinstance(one, TensorCore) for one in x):
            raise ArgumentTypeError(
                f"{cls.__name__}.apply needs a Tensor among its arguments, got "
                f"{', '.join(type(one).__name__ for one in x) or 'none'}"
            )
        return Tensor._wrap(super().apply(*unwrap(x), **kwargs))
