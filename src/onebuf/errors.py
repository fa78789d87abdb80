"""Every error onebuf raises, each one also a built-in that ordinary code already catches.

::

    OnebufError
    ├── ShapeError         ValueError    shapes that do not fit one another
    ├── LayoutError        ValueError    a view that strides cannot express
    ├── AxisError          IndexError    an axis or an index outside its range
    ├── IndexRangeError    IndexError    an element that is not there
    ├── RegionError        IndexError    bounds that are no box inside a shape; a ValueError, too
    ├── DTypeError         TypeError     an element type that an operation does not take
    │   └── IndexTypeError IndexError    indices that are not integers
    ├── ArgumentError      ValueError    any other argument with a value out of range
    │   ├── LabelError     IndexError    labels that do not fit a tensor or an expression
    │   ├── MatrixError                  a matrix that has no inverse, no factor, no solution
    │   └── ZeroStepError  ZeroDivisionError  a range that would not move
    ├── ArgumentTypeError  TypeError     any other argument of the wrong type
    │   └── UnlabelledError IndexError   a value without labels, written to a key that has some
    ├── ScalarRangeError   OverflowError a number that an element type cannot hold
    ├── ReadOnlyError      ValueError    a write to memory that may not be written
    ├── CopyError          ValueError    ``copy=False`` where only a copy would do
    ├── ProtocolError      TypeError     an object without the method that was needed
    ├── ExportError        BufferError   memory that cannot be handed out, or freed, as asked
    ├── FileFormatError    ValueError    a file whose content is not what its name promises
    ├── OutOfMemory        MemoryError   the memory asked for is not there
    ├── DeviceError        ValueError    a device that is unknown or does not fit
    │   └── DivergenceError              replicas that differ, where one value was asked for
    ├── OpGraphError       ValueError    an op graph that is none, or a text that holds none
    ├── OptimisationError  ValueError    an optimisation that does not fit its kernel
    ├── KernelError        RuntimeError  a kernel that breaks a rule: a mistake in onebuf
    ├── CompileError       RuntimeError  a kernel that the compiler refuses: a mistake in onebuf
    ├── BoundsError        RuntimeError  a kernel that would leave its memory: a mistake in onebuf
    ├── ProfilingError     RuntimeError  a profiler where there is one already
    ├── PlaceError         RuntimeError  a place of a runtime that failed, or was lost
    │   └── RuntimeClosed                a runtime that was closed, or cannot be reached any more
    ├── GradientError      RuntimeError  a gradient asked for where there is none, or no more
    │   └── ChangedError                 a value that a gradient needs, changed in between
    ├── NotDifferentiable  TypeError     a gradient of a function that has none
    ├── NotDistributed     NotImplementedError  an operation that distributed buffers lack
    ├── NotBatched         TypeError     an operation that vmap has no rule for
    ├── LeakError          RuntimeError  a value of a traced function, used outside of it
    ├── TaskError          RuntimeError  a task that cannot be run, or waited for
    ├── TaskTimeout        TimeoutError  a task that is not done yet
    └── MissingPackage     ImportError   an optional package that is not installed

A message says what was needed, what came, and what to do. Where the array API standard asks for a
second built-in, an error is that too: a CopyError a BufferError, a ProtocolError an AttributeError.
"""

from __future__ import annotations

import numpy as np


class OnebufError(Exception):
    """Base of every error that onebuf raises on purpose."""


class ShapeError(OnebufError, ValueError):
    """Shapes that do not fit one another."""


class LayoutError(OnebufError, ValueError):
    """A view that strides cannot express, or that means nothing."""


class AxisError(OnebufError, np.exceptions.AxisError):
    """An axis outside the buffer's dimensions, or named twice; NumPy's AxisError, too."""


class IndexRangeError(OnebufError, IndexError):
    """An index outside the extent of its axis, or more indices than axes."""


class RegionError(OnebufError, IndexError, ValueError):
    """Bounds of a slice or a chip that are no box with elements inside the shape."""


class DTypeError(OnebufError, TypeError):
    """An element type that the operation does not take."""


class IndexTypeError(DTypeError, IndexError):
    """Indices of an element type other than integers."""


class ArgumentError(OnebufError, ValueError):
    """An argument whose value is out of range."""


class LabelError(ArgumentError, IndexError):
    """Labels of axes that are no labels, are too many or too few, or are not in an expression.

    A text is a key of a buffer, so this is an IndexError, too.
    """


class MatrixError(ArgumentError, np.linalg.LinAlgError):
    """A matrix that has no inverse, no factor or no solution; also NumPy's error for it."""


class ZeroStepError(ArgumentError, ZeroDivisionError):
    """A range whose step is 0; also NumPy's error for it."""


class ArgumentTypeError(OnebufError, TypeError):
    """An argument of the wrong type."""


class UnlabelledError(ArgumentTypeError, IndexError):
    """A value without labels, where the key that it is written to has some."""


class ScalarRangeError(OnebufError, OverflowError, ValueError):
    """A Python number that the element type cannot hold."""


class ReadOnlyError(OnebufError, ValueError):
    """A write to memory that may not be written."""


class CopyError(OnebufError, ValueError, BufferError):
    """``copy=False`` was asked where only a copy would do."""


class ProtocolError(OnebufError, AttributeError, TypeError):
    """An object without the method by which it would have to hand out its elements."""


class ExportError(OnebufError, BufferError):
    """Memory that cannot be handed out, taken in or freed in the way asked for."""


class FileFormatError(OnebufError, ValueError):
    """A file whose content is not what its name or header promises."""


class OutOfMemory(OnebufError, MemoryError):
    """The memory asked for is not there, even after cached memory was given back."""


class DeviceError(OnebufError, ValueError):
    """A device that is unknown, or operands that live on different ones."""


class DivergenceError(DeviceError):
    """Replicas of a buffer hold different elements, and one value was asked for."""


class OpGraphError(OnebufError, ValueError):
    """An op graph with a cycle, an unknown operation or operands that do not fit it."""


class OptimisationError(OnebufError, ValueError):
    """An optimisation that the kernel does not allow, or the device."""


class KernelError(OnebufError, RuntimeError):
    """A kernel that breaks a rule of its form, which is a mistake in onebuf and not in its use.

    ``number`` is that of the instruction, and ``rule`` says in one word what it breaks.
    """

    def __init__(self, rule: str, number: int, message: str) -> None:
        super().__init__(message)
        self.rule = rule
        self.number = number


class CompileError(OnebufError, RuntimeError):
    """A kernel that the compiler refuses, which is a mistake in onebuf and not in its use."""


class BoundsError(OnebufError, RuntimeError):
    """A kernel that would leave its memory, which is a mistake in onebuf and not in its use."""


class ProfilingError(OnebufError, RuntimeError):
    """A profiler was started where one is running already."""


class PlaceError(OnebufError, RuntimeError):
    """A place of a runtime failed, or was lost; ``place`` is its number, if it is known."""

    def __init__(self, message: str, place: int | None = None) -> None:
        super().__init__(message)
        self.place = place


class RuntimeClosed(PlaceError):
    """A runtime was closed, or cannot be reached any more."""


class NotDistributed(OnebufError, NotImplementedError):
    """An operation that is not there for distributed buffers, where gathering them was not asked
    for."""


class GradientError(OnebufError, RuntimeError):
    """A gradient was asked for where there is none, or where what it needs was given up."""


class ChangedError(GradientError):
    """Elements that a gradient needs were changed in place since the operation that read them."""


class NotDifferentiable(OnebufError, TypeError):
    """A gradient was asked for through a function that has none, or that has no rule for it."""


class NotBatched(OnebufError, TypeError):
    """An operation that has no rule for a batch of examples, inside of `onebuf.vmap`."""


class LeakError(OnebufError, RuntimeError):
    """A buffer that exists only while a function is traced was used, or kept, outside of it."""


class TaskError(OnebufError, RuntimeError):
    """A task that will never be done: its result was asked for where waiting would have no end."""


class TaskTimeout(OnebufError, TimeoutError):
    """A task was not done after the time that was given to it."""


class MissingPackage(OnebufError, ImportError):
    """An optional package is needed for this and is not installed."""

    @classmethod
    def extra(cls, package: str, extra: str, purpose: str) -> MissingPackage:
        """The error for a missing package, naming the extra that installs it."""
        return cls(
            f"{purpose} needs the package {package!r}, which is not installed; "
            f"install it with: pip install 'onebuf[{extra}]'"
        )
