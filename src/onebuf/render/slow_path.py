"""Slow paths: elements that need a computation too slow for all lanes.

A formula is written for all SIMD lanes alike. Where a few elements need much more, such as the sine
of 1e300, these are computed again one by one: `slow_path` writes a branch, taken if any lane needs
it, to a call of another function of the module (``Builder.helpers``). That function is marked cold,
so the compiler does not slow the loop down for it.

A module has to contain ``b.declarations`` and ``b.helpers.values()``, in any order. After a formula
the builder may be in another basic block: ``b.block`` is its label.
"""

from __future__ import annotations

from collections.abc import Callable

from onebuf.render.builder import Builder, Value

Formula = Callable[..., Value]
"""(builder, *operands) to a value."""


def slow_path(
    b: Builder, name: str, lanes: Value, usual: Value, formula: Formula, *operands: Value
) -> Value:
    """``usual``, but in ``lanes`` the ``formula`` of the operands.

    ``formula`` is written once, for one lane, as a function that is named after ``name`` and the
    type of the operands.

    >>> b = Builder(4)
    >>> x = Value("%x", "double")
    >>> large = b.compare("fcmp ogt", x, b.constant("double", 9.0))
    >>> slow_path(b, "double_it", large, x, lambda b, x: b.fadd(x, x), x).type
    'double'
    >>> sorted(b.helpers)
    ['onebuf.double_it.double', 'onebuf.double_it.double.4']
    """
    if b.slow_path is not None:
        return b.slow_path(name, lanes, usual, formula, *operands)
    uniform = all(value.uniform for value in (lanes, usual, *operands))
    count = 1 if uniform else b.lanes
    function = _one(b, name, usual.type, formula, *operands)
    if count > 1:
        function = _each(b, function, count, usual.type, *operands)
    flag = lanes.name if uniform else b.spread(lanes)
    arguments = [(v.type if uniform else b.type(v.type), v) for v in (usual, *operands)]
    names = [v.name if uniform else b.spread(v) for _, v in arguments]
    kept, mask = names[0], ""
    if count > 1:
        mask = b.emit(f"bitcast <{count} x i1> {flag} to i{count}")
        flag = b.emit(f"icmp ne i{count} {mask}, 0")
        mask = f"i{count} {mask}, "
    else:
        arguments, names = arguments[1:], names[1:]
    before, slow, after = b.label("usual"), b.label("rare"), b.label("after")
    b.line(f"br label %{before}")
    b.line(f"{before}:")
    b.line(f"br i1 {flag}, label %{slow}, label %{after}")
    b.line(f"{slow}:")
    type_ = usual.type if uniform else b.type(usual.type)
    texts = ", ".join(f"{t} {n}" for (t, _), n in zip(arguments, names, strict=True))
    again = b.emit(f"call {type_} @{function}({mask}{texts})")
    b.line(f"br label %{after}")
    b.line(f"{after}:")
    result = b.emit(f"phi {type_} [ {kept}, %{before} ], [ {again}, %{slow} ]")
    return Value(result, usual.type, uniform)


def adopt(b: Builder, inner: Builder) -> None:
    """Add to ``b``'s module what the function of ``inner`` needs."""
    b.declarations |= inner.declarations
    b.helpers |= inner.helpers


def _one(b: Builder, name: str, result: str, formula: Formula, *operands: Value) -> str:
    """The name of the function for one element."""
    function = f"onebuf.{name}.{operands[0].type}"
    if function not in b.helpers:
        inner = Builder(1)
        inputs = [Value(f"%x{k}", v.type) for k, v in enumerate(operands)]
        inner.line("entry:")
        value = formula(inner, *inputs)
        parameters = ", ".join(f"{v.type} {v.name}" for v in inputs)
        adopt(b, inner)
        b.helpers[function] = (
            f"define internal {result} @{function}({parameters}) cold noinline nounwind {{\n"
            f"{inner.text()}\n  ret {result} {value.name}\n}}"
        )
    return function


def _each(b: Builder, one: str, count: int, result: str, *operands: Value) -> str:
    """The name of the function that calls ``one`` for each lane that is set in a mask."""
    function = f"{one}.{count}"
    types = [result, *(v.type for v in operands)]
    wide = [f"<{count} x {t}>" for t in types]
    parameters = ", ".join(f"{t} %v{k}" for k, t in enumerate(wide))
    rest = range(1, len(types))
    picked = "\n".join(
        f"  %e{k} = extractelement {wide[k]} %v{k}, i{max(count, 32)} %lane" for k in rest
    )
    arguments = ", ".join(f"{types[k]} %e{k}" for k in rest)
    mask, index = f"i{count}", f"i{max(count, 32)}"
    b.helpers[function] = f"""\
define internal {wide[0]} @{function}({mask} %mask, {parameters}) cold noinline nounwind {{
entry:
  br label %head
head:
  %lane = phi {index} [ 0, %entry ], [ %next, %tail ]
  %so.far = phi {wide[0]} [ %v0, %entry ], [ %result, %tail ]
  %left = phi {mask} [ %mask, %entry ], [ %fewer, %tail ]
  %wanted = trunc {mask} %left to i1
  br i1 %wanted, label %body, label %tail
body:
{picked}
  %again = call {result} @{one}({arguments})
  %with = insertelement {wide[0]} %so.far, {result} %again, {index} %lane
  br label %tail
tail:
  %result = phi {wide[0]} [ %so.far, %head ], [ %with, %body ]
  %fewer = lshr {mask} %left, 1
  %next = add {index} %lane, 1
  %more = icmp ne {mask} %fewer, 0
  br i1 %more, label %head, label %done
done:
  ret {wide[0]} %result
}}"""
    return function
