"""Vector-Jacobian products: a function is traced, and its graph walked backwards.

The graph of a call has everything that a gradient needs. It is kept, and with it the real nodes of
the forward pass: elements that were computed and stored for the result are read again, not computed
again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from onebuf import pytree
from onebuf.buffer import Buffer
from onebuf.dtypes import kind
from onebuf.errors import ArgumentTypeError, NotDifferentiable, ShapeError
from onebuf.gradients.reverse import pullback
from onebuf.graph import COPY, INPUT, Node, make
from onebuf.ops import cast, full
from onebuf.tracing import Parameter, Rebuild, Trace


class GradientTrace(Trace):
    """The trace of a function that is being differentiated.

    It may look at values, as in ``if x.sum() > 0``. Code that would compute with them where no
    gradient can follow, as NumPy does, is refused.
    """

    what = "a function that is being differentiated"

    def __init__(self) -> None:
        super().__init__()
        self._copies: dict[int, Node] = {}
        self.arguments: set[int] = set()
        """The parameters that gradients are wanted for, by id."""
        self.has_read_old = False
        """Whether elements of a parameter were needed that its memory no longer holds."""

    def value_of(self, parameter: Parameter) -> Node:
        """The real node of a parameter, with the elements that it had when they were held."""
        copy = self._copies.get(id(parameter))
        if copy is None:
            return parameter.node
        found = held(copy)
        if found is not parameter.node:
            self.has_read_old = True
        return found

    def hold(self) -> None:
        """Let parameters keep the elements that they have now, for as long as this trace lives.

        A pending copy is computed before the memory that it reads is written, and only then. In
        an outer trace, where nothing is computed, it goes on reading what was there before.
        """
        for made in self.inputs:
            self._copies[id(made.arg)] = pending_copy(made.arg.node)

    def refuse(self, name: str, node: Node) -> None:
        """Raise if ``node`` depends on an argument: no gradient goes through what was read."""
        if self._depends(node):
            made = "" if node.origin is None else f" (made at {node.origin})"
            raise NotDifferentiable(
                f"{name} reads the elements of a buffer{made} of {self.what}, and no gradient "
                f"leads through that; use functions of onebuf, give it a rule with "
                f"onebuf.custom_vjp, or cut it off with onebuf.stop_gradient(x)"
            )

    def _depends(self, node: Node) -> bool:
        """Whether a gradient could go from ``node`` to an argument."""
        seen: set[int] = set()
        todo = [node]
        while todo:
            one = todo.pop()
            if one.op is INPUT and id(one.arg) in self.arguments:
                return True
            if id(one) not in seen and kind(one.dtype) in "fc":
                seen.add(id(one))
                todo.extend(one.srcs)
        return False


def pending_copy(node: Node) -> Node:
    """A copy of ``node`` that is made when others are about to write its memory."""
    return make(COPY, (node,), None, node.shape, node.dtype, unique=True)


def held(copy: Node) -> Node:
    """What has the elements that a pending copy is to have: what it copies, until it is made."""
    srcs = copy.srcs  # before the block: another thread may be about to write
    return srcs[0] if copy.block is None else copy


class Pullback:
    """What `vjp` gives to go back with: from gradients of results to those of arguments."""

    def __init__(
        self,
        trace: GradientTrace,
        inputs: Sequence[Node | None],
        outputs: Sequence[Any],
        structures: tuple[pytree.Structure, pytree.Structure],
    ) -> None:
        self._trace = trace
        self._inputs = inputs
        self._outputs = outputs
        self._arguments, self._results = structures
        self._values = Rebuild(trace, trace.value_of)
        self._copies: list[tuple[Node, Node, Node]] = []
        """Nodes of the trace whose memory the results have, their real nodes, copies of those."""

    @property
    def has_read_old(self) -> bool:
        """Whether a gradient needed elements of an argument that were changed in place since."""
        return self._trace.has_read_old

    def values(self) -> list[Any]:
        """The results themselves, as buffers to be computed."""
        nodes = [leaf._node for leaf in self._outputs if isinstance(leaf, Buffer)]
        bases = [node.base for node in nodes]
        reals = [real.base for real in self._values.all(bases)]
        copies = [pending_copy(real) for real in reals]
        self._copies = list(zip(bases, reals, copies, strict=True))
        real = iter(self._values.all(nodes))
        return [
            leaf._value(next(real)) if isinstance(leaf, Buffer) else leaf for leaf in self._outputs
        ]

    def __call__(self, gradients: Any) -> Any:
        """The gradients of the arguments, as a tuple; None for those that have none."""
        given, structure = pytree.flatten(gradients)
        if structure != self._results:
            raise ArgumentTypeError(
                f"a pullback needs gradients with the structure of the results, "
                f"{self._results}, got {structure}"
            )
        found = iter(self.nodes([as_seed(one) for one in given]))
        leaves = [None if node is None else Buffer._value(next(found)) for node in self._inputs]
        return self._arguments.unflatten(leaves)

    def nodes(self, seeds: Sequence[Node | None]) -> list[Node]:
        """The gradients of the arguments that have some; a None in ``seeds`` is zeros."""
        inputs = [node for node in self._inputs if node is not None]
        trace = self._trace
        changed = self._changed()
        with trace.recording():
            outputs, given = [], []
            for leaf, seed in zip(self._outputs, seeds, strict=True):
                if seed is None or not isinstance(leaf, Buffer):
                    continue
                outputs.append(leaf._node)
                given.append(trace.input(_fitted(seed, leaf._node)))
            found = pullback(outputs, given, inputs)
            whole = [
                _zeros(node) if gradient is None else gradient
                for node, gradient in zip(inputs, found, strict=True)
            ]
        trace.has_read_old |= reaches(whole, changed)
        return self._values.all(whole)

    def _changed(self) -> set[int]:
        """The nodes, by id, whose memory the results had and that was written since.

        Copies of what it held take their places.
        """
        found = set()
        for base, real, copy in self._copies:
            was = held(copy)
            if base.op is not INPUT and was is not real:
                self._values.know(base, was)
                found.add(id(base))
        return found


def reaches(nodes: Sequence[Node], wanted: set[int]) -> bool:
    """Whether one of ``wanted``, by id, is an operand on the way to ``nodes``."""
    seen: set[int] = set()
    todo = list(nodes) if wanted else []
    while todo:
        node = todo.pop()
        if id(node) in wanted:
            return True
        if id(node) not in seen:
            seen.add(id(node))
            todo.extend(node.srcs)
    return False


def _zeros(node: Node) -> Node:
    assert node.device is not None
    return full(node.shape, 0, node.dtype, node.device)


def as_seed(value: Any) -> Node | None:
    """The gradient of a result as a node; None stands for zeros."""
    if value is None:
        return None
    return value._node if isinstance(value, Buffer) else Buffer(np.asarray(value))._node


def _fitted(seed: Node, output: Node) -> Node:
    if seed.shape != output.shape:
        raise ShapeError(
            f"the gradient of a result needs its shape, {output.shape}, got {seed.shape}"
        )
    return seed if seed.dtype == output.dtype else cast(seed, output.dtype)


def is_differentiable(leaf: Any) -> bool:
    """Whether a leaf of the arguments is a buffer that can have a gradient."""
    return isinstance(leaf, Buffer) and kind(leaf.dtype) in "fc"


def linearized(
    function: Callable[..., Any], args: tuple[Any, ...], has_aux: bool = False
) -> tuple[Any, Pullback, Any]:
    """The results of a call, their pullback, and what it returned beside them."""
    leaves, structure = pytree.flatten(args)
    trace = GradientTrace()
    with trace.recording():
        nodes = [trace.input(leaf._node) if is_differentiable(leaf) else None for leaf in leaves]
        parameters = [None if node is None else node.arg for node in nodes]
        trace.arguments = {id(parameter) for parameter in parameters if parameter is not None}
        traced = [
            leaf if node is None else leaf._alike(node)
            for leaf, node in zip(leaves, nodes, strict=True)
        ]
        result = function(*structure.unflatten(traced))
        aux = None
        if has_aux:
            if not isinstance(result, tuple) or len(result) != 2:
                raise ArgumentTypeError(
                    f"has_aux needs a function that returns a pair (value, aux), got "
                    f"{type(result).__name__}"
                )
            result, aux = result
    outputs, results = pytree.flatten(result)
    by_parameter = {id(node.arg): node for node in trace.inputs}
    inputs = [None if one is None else by_parameter[id(one)] for one in parameters]
    pull = Pullback(trace, inputs, outputs, (structure, results))
    trace.hold()
    value = results.unflatten(pull.values())
    return value, pull, released(trace, aux)


def released(trace: GradientTrace, tree: Any) -> Any:
    """``tree`` with buffers of the trace as real ones."""
    leaves, structure = pytree.flatten(tree)
    values = Rebuild(trace, trace.value_of)
    return structure.unflatten(
        [
            leaf._value(values.of(leaf._node)) if isinstance(leaf, Buffer) else leaf
            for leaf in leaves
        ]
    )


def vjp(function: Callable[..., Any], *args: Any, has_aux: bool = False) -> Any:
    """The results of ``function(*args)``, and a function from their gradients to the arguments'.

    With ``has_aux`` the function returns a pair, and its second part is given back as it is, third.

    >>> import onebuf
    >>> y, pull = onebuf.vjp(lambda x: x**2, onebuf.asarray([1.0, 2.0]))
    >>> y.tolist(), pull(onebuf.asarray([1.0, 10.0]))[0].tolist()
    ([1.0, 4.0], [2.0, 40.0])
    """
    value, pull, aux = linearized(function, args, has_aux)
    return (value, pull, aux) if has_aux else (value, pull)
