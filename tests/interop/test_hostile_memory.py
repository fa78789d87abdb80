"""Memory handed over with wrong claims: an error, never a read outside of it or a crash."""

import ctypes
import gc

import numpy as np
import pytest

import onebuf
from onebuf.errors import ArgumentTypeError, DTypeError, ExportError, OnebufError


class Interface:
    """An object with an array interface, true or not."""

    def __init__(self, **interface):
        given = {"shape": (8,), "typestr": "<f8", "version": 3, **interface}
        self.__array_interface__ = {key: value for key, value in given.items() if value is not ...}


NUMBERS = np.arange(8.0)


@pytest.mark.parametrize(
    "interface",
    [
        {"data": bytes(63)},
        {"data": bytes(64), "offset": 1},
        {"data": bytes(64), "offset": -1},
        {"data": bytes(64), "strides": (16,)},
        {"data": bytes(64), "strides": (-8,)},
        {"data": bytes(64), "shape": (3, 3)},
        {"data": bytes(64), "shape": (2, 2), "strides": (8, 56)},
        {"data": bytes(0)},
        {"data": memoryview(bytearray(32))},
    ],
)
def test_an_array_interface_that_reaches_outside_its_memory_is_refused(interface):
    with pytest.raises(ExportError, match="of memory that has"):
        onebuf.asarray(Interface(**interface))


@pytest.mark.parametrize(
    "interface, expected",
    [
        ({"data": NUMBERS.data}, list(range(8))),
        ({"data": NUMBERS.data, "shape": (3,), "offset": 8}, [1, 2, 3]),
        ({"data": NUMBERS.data, "shape": (4,), "strides": (16,)}, [0, 2, 4, 6]),
        ({"data": NUMBERS.data, "shape": (8,), "strides": (-8,), "offset": 56}, [*range(8)][::-1]),
        ({"data": NUMBERS.data, "shape": (0,), "offset": 64}, []),
        ({"data": NUMBERS.data, "shape": ()}, 0),
    ],
)
def test_an_array_interface_that_stays_inside_is_taken(interface, expected):
    assert onebuf.asarray(Interface(**interface)).tolist() == expected


@pytest.mark.parametrize(
    "interface",
    [
        {"data": (0, False)},
        {"data": (NUMBERS.ctypes.data, False), "shape": (-1,)},
        {"data": (NUMBERS.ctypes.data, False), "shape": (2**62, 2**10)},
        {"data": (NUMBERS.ctypes.data, False), "shape": "8"},
        {"data": (NUMBERS.ctypes.data, False), "typestr": "|O"},
        {"data": (NUMBERS.ctypes.data, False), "typestr": "<q9"},
        {"data": (NUMBERS.ctypes.data, False), "typestr": None},
        {"data": (NUMBERS.ctypes.data, False), "strides": (8, 8)},
        {"data": NUMBERS.data, "strides": (8, 8)},
        {"data": NUMBERS.data, "shape": None},
        {"data": NUMBERS.data, "shape": ...},
        {"data": NUMBERS.data, "typestr": ...},
        {"data": 3},
        {"data": None},
        {},
    ],
)
def test_an_array_interface_that_makes_no_sense_is_a_typed_error(interface):
    with pytest.raises(OnebufError):
        onebuf.asarray(Interface(**interface))


def test_a_mask_in_an_array_interface_is_not_ignored():
    mask = Interface(data=NUMBERS.data, typestr="|b1", shape=(8,))
    with pytest.raises(ExportError, match="mask"):
        onebuf.asarray(Interface(data=NUMBERS.data, mask=mask))


# -- DLPack ---------------------------------------------------------------------------------------


class Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", ctypes.c_int32 * 2),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("byte_offset", ctypes.c_uint64),
    )


DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Managed(ctypes.Structure):
    _fields_ = (("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", DELETER))


class Versioned(ctypes.Structure):
    _fields_ = (
        ("version", ctypes.c_uint32 * 2),
        ("context", ctypes.c_void_p),
        ("deleter", DELETER),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    )


NEW = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
    ("PyCapsule_New", ctypes.pythonapi)
)


class Producer:
    """Hands out a capsule with any header."""

    def __init__(self, versioned, *, shape=(4,), strides=None, ndim=None, **fields):
        self.deleted = 0
        self.kept = [None if part is None else (ctypes.c_int64 * max(len(part), 1))(*part)
                     for part in (shape, strides)]  # fmt: skip
        addresses = [part and ctypes.addressof(part) for part in self.kept]
        given = {"data": NUMBERS.ctypes.data, "code": 2, "bits": 64, "lanes": 1, **fields}
        tensor = Tensor(
            device=(1, 0), ndim=len(shape) if ndim is None else ndim, shape=addresses[0],
            strides=addresses[1], **given,
        )  # fmt: skip
        self.deleter = DELETER(self.delete)
        self.header = (
            Versioned(version=(1, 0), deleter=self.deleter, tensor=tensor)
            if versioned
            else Managed(tensor=tensor, deleter=self.deleter)
        )
        name = b"dltensor_versioned" if versioned else b"dltensor"
        self.capsule = NEW(ctypes.addressof(self.header), name, None)

    def delete(self, pointer):
        self.deleted += 1

    def __dlpack__(self, **_):
        return self.capsule

    def __dlpack_device__(self):
        return (1, 0)


@pytest.fixture(params=[False, True], ids=["dltensor", "dltensor_versioned"])
def versioned(request):
    return request.param


@pytest.mark.parametrize(
    "fields",
    [
        {"ndim": -1},
        {"ndim": 65, "shape": (1,) * 65},
        {"ndim": 1, "shape": None},
        {"ndim": 2, "shape": None},
        {"shape": (-4,)},
        {"shape": (2**60,)},
        {"shape": (2**40, 2**40)},
        {"strides": (2**62,)},
        {"strides": (-(2**62),)},
        {"data": 0},
    ],
)
def test_a_capsule_that_no_memory_can_have_is_refused(versioned, fields):
    with pytest.raises(ExportError, match="__dlpack__"):
        onebuf.from_dlpack(Producer(versioned, **fields))


@pytest.mark.parametrize(
    "fields", [{"lanes": 2}, {"lanes": 0}, {"bits": 7}, {"bits": 128}, {"code": 99}, {"code": 3}]
)
def test_a_capsule_of_unknown_elements_is_refused(versioned, fields):
    with pytest.raises(DTypeError, match="needed one of"):
        onebuf.from_dlpack(Producer(versioned, **fields))


@pytest.mark.parametrize(
    "fields, expected",
    [
        ({}, [0, 1, 2, 3]),
        ({"strides": (2,)}, [0, 2, 4, 6]),
        ({"strides": (-1,), "byte_offset": 24}, [3, 2, 1, 0]),
        ({"shape": (2, 2), "strides": (0, 1)}, [[0, 1], [0, 1]]),
        ({"shape": ()}, 0),
        ({"shape": None, "ndim": 0}, 0),
        ({"shape": (0,), "data": 0}, []),
        ({"shape": (2, 0), "strides": (2**40, 1)}, [[], []]),
    ],
)
def test_a_true_capsule_is_taken_and_deleted_once(versioned, fields, expected):
    producer = Producer(versioned, **fields)
    buffer = onebuf.from_dlpack(producer)
    assert buffer.tolist() == expected
    with pytest.raises(ExportError, match="was not taken yet"):
        onebuf.from_dlpack(producer)
    del buffer
    gc.collect()
    assert producer.deleted == 1


def test_a_refused_capsule_of_bfloat16_keeps_its_header(versioned):
    producer = Producer(versioned, code=4, bits=16)
    producer.header.tensor.device[0] = 2  # which NumPy refuses
    with pytest.raises(ExportError):
        onebuf.from_dlpack(producer)
    assert producer.header.tensor.code == 4


@pytest.mark.parametrize(
    "request_", [{"max_version": ("a", 0)}, {"max_version": 3}, {"copy": "yes"}, {"copy": 2}]
)
def test_requests_that_make_no_sense_are_a_type_error(request_):
    with pytest.raises(ArgumentTypeError):
        onebuf.asarray(NUMBERS).__dlpack__(**request_)
