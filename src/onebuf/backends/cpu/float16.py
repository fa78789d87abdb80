"""Conversions of 16-bit floats, for processors that have no instruction for them.

LLVM then calls functions of the compiler's runtime library, which a Python process does not have.
They round to nearest, ties to even, exactly once.
"""

from __future__ import annotations

from functools import cache

from onebuf.backends.cpu.loader import Code, load
from onebuf.backends.cpu.object_code import key_of, make_object
from onebuf.backends.cpu.target import host

NAMES = ("__extendhfsf2", "__truncsfhf2", "__truncdfhf2", "__truncsfbf2", "__truncdfbf2")
"""half to float; float and double to half; float and double to bfloat."""


_EXTEND = """
define float @__extendhfsf2(half %x) nounwind {
  %bits = bitcast half %x to i16
  %wide = zext i16 %bits to i32
  %signed = and i32 %wide, 32768
  %sign = shl i32 %signed, 16
  %size = and i32 %wide, 32767
  %moved = shl i32 %size, 13
  %normal = add i32 %moved, 939524096              ; the exponent's bias: 15 becomes 127
  %small = icmp ult i32 %size, 1024
  %tiny = uitofp i32 %size to float
  %scaled = fmul float %tiny, 0x3E70000000000000   ; 2 ** -24
  %subnormal = bitcast float %scaled to i32
  %endless = icmp uge i32 %size, 31744
  %large = add i32 %normal, 939524096
  %nan = icmp ugt i32 %size, 31744
  %quiet = or i32 %large, 4194304
  %a = select i1 %small, i32 %subnormal, i32 %normal
  %b = select i1 %endless, i32 %large, i32 %a
  %c = select i1 %nan, i32 %quiet, i32 %b
  %result = or i32 %c, %sign
  %float = bitcast i32 %result to float
  ret float %float
}
"""

# Rounding to odd keeps in the last bit that something was cut off: rounding again is then exact.
_ODD = """
define internal float @round_to_odd(double %x) nounwind {
  %near = fptrunc double %x to float
  %back = fpext float %near to double
  %inexact = fcmp one double %back, %x
  %bits = bitcast float %near to i32
  %back.bits = bitcast double %back to i64
  %x.bits = bitcast double %x to i64
  %back.size = and i64 %back.bits, 9223372036854775807
  %x.size = and i64 %x.bits, 9223372036854775807
  %up = icmp ugt i64 %back.size, %x.size
  %less = sub i32 %bits, 1
  %down = select i1 %up, i32 %less, i32 %bits
  %odd = or i32 %down, 1
  %result = select i1 %inexact, i32 %odd, i32 %bits
  %float = bitcast i32 %result to float
  ret float %float
}
"""

_TO_HALF = """
define half @__truncsfhf2(float %x) nounwind {
  %bits = bitcast float %x to i32
  %high = lshr i32 %bits, 16
  %sign = and i32 %high, 32768
  %size = and i32 %bits, 2147483647
  %based = sub i32 %size, 939524096                ; the exponent's bias: 127 becomes 15
  %cut = lshr i32 %based, 13
  %last = and i32 %cut, 1
  %more = add i32 %based, 4095
  %even = add i32 %more, %last
  %normal = lshr i32 %even, 13
  %small = icmp ult i32 %size, 947912704           ; 2 ** -14
  %absolute = bitcast i32 %size to float
  %aligned = fadd float %absolute, 0x3FE0000000000000
  %aligned.bits = bitcast float %aligned to i32
  %subnormal = sub i32 %aligned.bits, 1056964608
  %large = icmp uge i32 %size, 1199570944          ; 2 ** 16
  %nan = icmp ugt i32 %size, 2139095040
  %payload = lshr i32 %size, 13
  %payload.bits = and i32 %payload, 1023
  %quiet = or i32 %payload.bits, 32256
  %a = select i1 %small, i32 %subnormal, i32 %normal
  %b = select i1 %large, i32 31744, i32 %a
  %c = select i1 %nan, i32 %quiet, i32 %b
  %result = or i32 %c, %sign
  %short = trunc i32 %result to i16
  %half = bitcast i16 %short to half
  ret half %half
}
"""

_TO_BFLOAT = """
define bfloat @__truncsfbf2(float %x) nounwind {
  %bits = bitcast float %x to i32
  %cut = lshr i32 %bits, 16
  %last = and i32 %cut, 1
  %more = add i32 %bits, 32767
  %even = add i32 %more, %last
  %near = lshr i32 %even, 16
  %quiet = or i32 %cut, 64
  %nan = fcmp uno float %x, 0.0
  %result = select i1 %nan, i32 %quiet, i32 %near
  %short = trunc i32 %result to i16
  %bfloat = bitcast i16 %short to bfloat
  ret bfloat %bfloat
}
"""


_FROM_DOUBLE = """
define half @__truncdfhf2(double %x) nounwind {
  %odd = call float @round_to_odd(double %x)
  %result = call half @__truncsfhf2(float %odd)
  ret half %result
}

define bfloat @__truncdfbf2(double %x) nounwind {
  %odd = call float @round_to_odd(double %x)
  %result = call bfloat @__truncsfbf2(float %odd)
  ret bfloat %result
}
"""

_IR = _EXTEND + _ODD + _TO_HALF + _TO_BFLOAT + _FROM_DOUBLE


def conversions_of(content: bytes) -> dict[str, int]:
    """The addresses of the conversions whose names occur in object code."""
    return {name: _code().address(name) for name in NAMES if name.encode() in content}


@cache
def _code() -> Code:
    made = make_object(_IR, NAMES[0], host(), key_of(_IR, host()))
    return load(made.content, NAMES)
