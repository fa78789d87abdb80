"""Classes written in Python export their memory in every version of Python."""

from __future__ import annotations

import gc
import hashlib
import io
import pickle
import sys
import weakref

import children
import numpy as np
import pytest

from onebuf.interop import Exporter


class Held(Exporter):
    """Exports an array, or raises what it holds."""

    __slots__ = ("__weakref__", "held")

    def __init__(self, held):
        self.held = held

    def __buffer__(self, flags):
        if isinstance(self.held, np.ndarray):
            return self.held.data
        raise self.held


def test_the_memory_is_shared():
    array = np.arange(6.0).reshape(2, 3)
    view = memoryview(Held(array))
    assert (view.shape, view.strides, view.format) == ((2, 3), (24, 8), "d")
    view[1, 2] = 50
    assert array[1, 2] == 50


@pytest.mark.parametrize("error", [ValueError("no"), KeyError(1), MemoryError(), SystemExit(3)])
def test_an_error_reaches_the_caller(error):
    exporter = Held(error)
    for consume in (memoryview, hashlib.sha256, io.BytesIO().write, np.frombuffer):
        with pytest.raises(type(error)) as caught:
            consume(exporter)
        assert caught.value is error


def test_an_error_inside_an_error_keeps_its_context():
    exporter = Held(ValueError("inner"))
    try:
        raise KeyError("outer")
    except KeyError:
        with pytest.raises(ValueError, match="inner"):
            memoryview(exporter)


def test_what_is_no_memoryview_is_refused():
    class Wrong(Exporter):
        def __buffer__(self, flags):
            return 7

    with pytest.raises(TypeError):
        memoryview(Wrong())


def test_a_class_without_the_method_says_so():
    class Bare(Exporter):
        pass

    with pytest.raises((AttributeError, TypeError)):
        memoryview(Bare())


def test_read_only_memory_cannot_be_taken_to_write():
    array = np.arange(4, dtype=np.uint8)
    array.flags.writeable = False
    assert memoryview(Held(array)).readonly
    with pytest.raises((BufferError, TypeError)):
        io.BytesIO(b"abcd").readinto(Held(array))


def test_memory_with_gaps_is_refused_where_gaps_are():
    exporter = Held(np.arange(6)[::2])
    assert memoryview(exporter).tolist() == [0, 2, 4]
    with pytest.raises((BufferError, ValueError)):
        hashlib.sha256(exporter)


def test_an_export_holds_the_memory_and_not_the_exporter():
    array = np.arange(4)
    exporter = Held(array)
    seen = weakref.ref(exporter)
    holders = sys.getrefcount(array)
    view = memoryview(exporter)
    del exporter
    gc.collect()
    if sys.version_info < (3, 12):
        assert seen() is None
    assert view.tolist() == [0, 1, 2, 3]
    view.release()
    gc.collect()
    assert seen() is None
    assert sys.getrefcount(array) == holders - 1


def test_an_instance_in_a_cycle_is_collected():
    exporter = Held(np.arange(2))
    exporter.held = [exporter]
    seen = weakref.ref(exporter)
    del exporter
    gc.collect()
    assert seen() is None


def test_failures_leave_nothing_behind():
    error = ValueError("no")
    exporter = Held(error)

    def fail():
        try:
            memoryview(exporter)
        except ValueError:
            error.__traceback__ = None

    fail()
    gc.collect()
    before = len(gc.get_objects()), sys.getrefcount(exporter), sys.getrefcount(error)
    for _ in range(100):
        fail()
    gc.collect()
    after = len(gc.get_objects()), sys.getrefcount(exporter), sys.getrefcount(error)
    assert after[0] - before[0] < 10
    assert after[1:] == before[1:]


class Left(Held):
    __slots__ = ()


class Right(Held):
    __slots__ = ()


class Both(Left, Right):
    __slots__ = ("more",)


class WithDict(Held):
    pass


def test_subclasses_export_too():
    for kind in (Both, WithDict):
        made = object.__new__(kind)
        made.held = np.arange(3)
        assert memoryview(made).tolist() == [0, 1, 2]
    made.anything = 1
    assert not hasattr(object.__new__(Both), "__dict__")
    with pytest.raises(AttributeError):
        object.__new__(Held).other = 1


def test_instances_are_pickled_as_others_are():
    made = pickle.loads(pickle.dumps(WithDict(np.arange(3)), protocol=5))
    assert memoryview(made).tolist() == [0, 1, 2]


def test_a_subclass_may_say_otherwise():
    class Other(Held):
        def __buffer__(self, flags):
            return memoryview(b"other")

    assert bytes(Other(np.arange(3))) == b"other"


def test_the_class_of_an_instance_can_change():
    made = Left(np.arange(3))
    made.__class__ = Right
    assert memoryview(made).tolist() == [0, 1, 2]


def test_exports_work_while_the_interpreter_ends():
    printed = children.run(
        """
        import sys
        import numpy as np
        from onebuf.interop import Exporter

        class Late(Exporter):
            def __init__(self):
                self.array = np.arange(3, dtype=np.uint8)
                self.me = self
            def __buffer__(self, flags):
                return self.array.data
            def __del__(self, memoryview=memoryview, write=sys.stdout.write):
                write(str(memoryview(self).tolist()))

        late = Late()
        """
    )
    assert printed == "[0, 1, 2]"


def test_an_interrupt_before_the_first_line_is_not_lost():
    # zip and map are C: the signal is due when the callback starts, before any try of it.
    printed = children.run(
        """
        import _thread, signal
        from onebuf.interop import Exporter

        class Held(Exporter):
            def __buffer__(self, flags):
                return memoryview(b"abc")

        signal.signal(signal.SIGINT, signal.default_int_handler)
        interrupted = 0
        for _ in range(100):
            try:
                next(zip(map(_thread.interrupt_main, [signal.SIGINT]), map(memoryview, [Held()])))
            except KeyboardInterrupt:
                interrupted += 1
        print(interrupted)
        """
    )
    assert printed.split() == ["100"]
