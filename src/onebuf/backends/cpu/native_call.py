"""Native calls: Python functions that call an address with integers, at almost no cost.

CPython calls nothing faster than a built-in function. So the bridge from its calling convention to
that of C is compiled as well, once a process: it takes integers from Python, and the address to
call from the object that the built-in is bound to. Other interpreters use ctypes.
"""

from __future__ import annotations

import ctypes
import struct
import sys
from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias

from onebuf.backends.cpu.loader import Code, load
from onebuf.backends.cpu.object_code import key_of, make_object
from onebuf.backends.cpu.target import host
from onebuf.backends.cpu.uninterrupted import uninterrupted

NativeCall: TypeAlias = Callable[..., None]
"""A function of so many integers; for a kernel, ``call(args_address, begin, end)``."""

CPYTHON = sys.implementation.name == "cpython"
_METH_FASTCALL = 0x80
_API = (
    "PyBytes_AsString",
    "PyErr_Occurred",
    "PyErr_SetString",
    "PyEval_RestoreThread",
    "PyEval_SaveThread",
    "PyLong_AsLongLong",
    "Py_IncRef",
)
_DECLARATIONS = """\
declare ptr @PyBytes_AsString(ptr)
declare ptr @PyErr_Occurred()
declare void @PyErr_SetString(ptr, ptr)
declare void @PyEval_RestoreThread(ptr)
declare ptr @PyEval_SaveThread()
declare i64 @PyLong_AsLongLong(ptr)
declare void @Py_IncRef(ptr)
@None = external global i8
@TypeError = external global i8
"""
# Since 3.12, None lives for ever and is not counted.
_COUNT_NONE = "" if sys.version_info >= (3, 12) else "call void @Py_IncRef(ptr @None)"


class _Bound(bytes):
    """The object a built-in is bound to: the address that it calls, and the code to keep alive."""

    code: Code


class _MethodDef(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


def as_call(
    address: int, code: Code, arguments: int = 3, release: bool = True, bridged: bool = CPYTHON
) -> NativeCall:
    """A callable for the C function at ``address`` in ``code``, of so many int64 and no result.

    It keeps the code alive. ``release``: other Python threads may run meanwhile.
    """
    if not bridged:
        prototype = ctypes.CFUNCTYPE if release else ctypes.PYFUNCTYPE
        call: Any = prototype(None, *[ctypes.c_int64] * arguments)(address)
        call.code = code
        return call  # type: ignore[no-any-return]
    bound = _Bound(struct.pack("PQ", address, release))
    bound.code = code
    definition = ctypes.addressof(_bridge(arguments))
    return _new_function()(definition, bound, None)  # type: ignore[no-any-return]


@cache
def _new_function() -> Any:
    prototype = ctypes.PYFUNCTYPE(
        ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p
    )
    return prototype(("PyCFunction_NewEx", ctypes.pythonapi))


@cache
@uninterrupted
def _bridge(arguments: int) -> _MethodDef:
    """The definition of the built-in for so many arguments, which CPython needs for ever."""
    ir = _bridge_ir(arguments)
    target = host()
    made = make_object(ir, "call", target, key_of(ir, target))
    imports = {"None": id(None), "TypeError": id(TypeError)}
    for name in _API:
        pointer = ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p)
        assert pointer.value is not None
        imports[name] = pointer.value
    code = load(made.content, ["call"], imports)
    # Profilers tell built-ins apart by name.
    definition = _MethodDef(
        f"call of {arguments}".encode(), code.address("call"), _METH_FASTCALL, None
    )
    definition.code = code
    return definition


def _bridge_ir(arguments: int) -> str:
    """A built-in that checks and unpacks its arguments and calls what it is bound to."""
    numbers = range(arguments)
    message = f"call needs {arguments} integers"
    integers = ", ".join(f"i64 %x{i}" for i in numbers)
    unpack = "\n".join(
        f"  %at{i} = getelementptr ptr, ptr %arguments, i64 {i}\n"
        f"  %object{i} = load ptr, ptr %at{i}\n"
        f"  %x{i} = call i64 @PyLong_AsLongLong(ptr %object{i})\n"
        f"  %odd{i} = icmp eq i64 %x{i}, -1"
        for i in numbers
    )
    any_odd = "\n".join(
        f"  %any{i} = or i1 %{'any' if i > 1 else 'odd'}{i - 1}, %odd{i}" for i in numbers[1:]
    )
    return f"""{_DECLARATIONS}
@message = private constant [{len(message) + 1} x i8] c"{message}\\00"

define ptr @call(ptr %self, ptr %arguments, i64 %count) nounwind {{
  %right = icmp eq i64 %count, {arguments}
  br i1 %right, label %unpack, label %wrong
wrong:
  call void @PyErr_SetString(ptr @TypeError, ptr @message)
  br label %failed
unpack:
{unpack}
{any_odd}
  br i1 %any{arguments - 1}, label %check, label %run
check:
  %error = call ptr @PyErr_Occurred()
  %fine = icmp eq ptr %error, null
  br i1 %fine, label %run, label %failed
failed:
  ret ptr null
run:
  %bytes = call ptr @PyBytes_AsString(ptr %self)
  %function = load ptr, ptr %bytes
  %release.at = getelementptr ptr, ptr %bytes, i64 1
  %release = load i64, ptr %release.at
  %hold = icmp eq i64 %release, 0
  br i1 %hold, label %holding, label %releasing
holding:
  call void %function({integers})
  br label %done
releasing:
  %thread = call ptr @PyEval_SaveThread()
  call void %function({integers})
  call void @PyEval_RestoreThread(ptr %thread)
  br label %done
done:
  {_COUNT_NONE}
  ret ptr @None
}}
"""
