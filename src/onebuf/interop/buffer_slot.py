"""`Exporter`: a base class whose subclasses export memory by their method ``__buffer__``.

Python 3.12 gives a class with ``__buffer__`` (PEP 688) the C slot that ``memoryview``, ``hashlib``
and files look for. Python 3.11 does not: there the native core has `Exporter`, whose slot calls
``__buffer__`` and hands on the memory of the ``memoryview`` that it returns. The export holds that
memoryview, so releasing it is the memoryview's own business. Without the core, `Exporter` is such a
type made here with ``PyType_FromSpec``.

A callback of ctypes cannot fail: an exception that leaves it is printed and forgotten. So it
returns -1 as an int whose finalizer is ``PyObject_CallNoArgs``: ctypes drops the int after the
callback has returned, the call raises, and the exception is set where the caller looks for it.
`docs/design/0013-buffer-slot.md` has the argument.
"""

from __future__ import annotations

import ctypes
import dis
import sys
from types import FunctionType
from typing import TYPE_CHECKING, Any

from onebuf.native import core

_BF_GETBUFFER, _TP_FINALIZE = 1, 80  # numbers of slots in typeslots.h
_DEFAULT_AND_BASETYPE = 1 << 18 | 1 << 10
_OBJ_OFFSET = ctypes.sizeof(ctypes.c_void_p)  # of Py_buffer.obj, which follows Py_buffer.buf
_RESUME_UNCHECKED = 2


class _Slot(ctypes.Structure):
    _fields_ = (("slot", ctypes.c_int), ("pfunc", ctypes.c_void_p))


class _Spec(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("basicsize", ctypes.c_int),
        ("itemsize", ctypes.c_int),
        ("flags", ctypes.c_uint),
        ("slots", ctypes.POINTER(_Slot)),
    )


def is_needed() -> bool:
    """Whether this interpreter is a CPython without ``__buffer__`` of its own.

    In a debug build a finalizer that leaves an exception behind is a fatal error.
    """
    old_cpython = sys.implementation.name == "cpython" and sys.version_info < (3, 12)
    return old_cpython and not hasattr(sys, "gettotalrefcount")


def make_exporter() -> type:
    """A type whose subclasses export what their ``__buffer__`` returns."""
    get: Any = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p, ctypes.c_int)(
        ("PyObject_GetBuffer", ctypes.pythonapi)
    )
    release = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(("PyBuffer_Release", ctypes.pythonapi))
    obj_at = ctypes.c_void_p.from_address
    failure = _failure_type()

    def failed(view: int, error: BaseException) -> Any:
        """-1, which raises ``error`` when it is dropped, after giving up a half-made export."""
        if obj_at(view + _OBJ_OFFSET).value is not None:
            release(view)
        result = failure(-1)
        result.error = error
        return result

    def getbuffer(exporter: Any, view: int, flags: int) -> Any:
        try:
            obj_at(view + _OBJ_OFFSET).value = None
            return get(exporter.__buffer__(flags), view, flags)
        except BaseException as error:
            try:
                return failed(view, error)
            except BaseException:  # a second interrupt: never leave without a result
                return -1

    callback = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p, ctypes.c_int)(
        _without_first_check(getbuffer)
    )
    _keep_for_ever(callback)
    address = ctypes.cast(callback, ctypes.c_void_p).value
    return _type_from_spec("onebuf.interop.buffer_slot.Exporter", object, _BF_GETBUFFER, address)


def _failure_type() -> Any:
    """A subclass of int: an instance raises its attribute ``error`` when it is dropped."""
    call = ctypes.cast(ctypes.pythonapi.PyObject_CallNoArgs, ctypes.c_void_p).value
    base: Any = _type_from_spec("onebuf.interop.buffer_slot.Finalized", int, _TP_FINALIZE, call)

    class Failure(base):  # type: ignore[misc]
        error: BaseException

        def __call__(self) -> None:
            error = self.error
            del self.error, self  # the traceback must not bring the instance back to life
            try:
                raise error
            finally:
                del error

    return Failure


def _without_first_check(function: FunctionType | Any) -> FunctionType:
    """``function``, which does not look for signals before its first line.

    The instruction RESUME at the start of a function runs signal handlers, outside of any ``try``;
    its argument 2 says not to.
    """
    code = function.__code__
    resume = next(i.offset for i in dis.get_instructions(code) if i.opname == "RESUME")
    text = bytearray(code.co_code)
    text[resume + 1] = _RESUME_UNCHECKED
    function.__code__ = code.replace(co_code=bytes(text))
    return function


def _type_from_spec(name: str, base: type, slot: int, address: int | None) -> type:
    slots = (_Slot * 2)(_Slot(slot, address), _Slot(0, None))
    spec = _Spec(name.encode(), 0, 0, _DEFAULT_AND_BASETYPE, slots)
    _keep_for_ever(spec)  # the type points to its name
    make = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.POINTER(_Spec), ctypes.py_object)(
        ("PyType_FromSpecWithBases", ctypes.pythonapi)
    )
    made: type = make(ctypes.byref(spec), base)
    return made


def _keep_for_ever(thing: Any) -> None:
    """Types may outlive this module's variables when the interpreter ends."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))


if TYPE_CHECKING or not is_needed():

    class Exporter:
        """A base of classes with a method ``__buffer__``, which Python itself calls."""

        __slots__ = ()

else:
    Exporter = make_exporter() if core is None else core.Exporter
