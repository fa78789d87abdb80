"""Flags: how the memory of a buffer lies, and whether it may be written, in NumPy's words."""

from __future__ import annotations

from typing import Any

from onebuf.buffer.handle import Handle
from onebuf.engine import is_here, own
from onebuf.errors import ArgumentError, ReadOnlyError
from onebuf.ops import view_of

_NAMES = {
    "C": "c_contiguous",
    "CONTIGUOUS": "c_contiguous",
    "F": "f_contiguous",
    "FORTRAN": "f_contiguous",
    "O": "owndata",
    "W": "writeable",
    "A": "aligned",
    "X": "writebackifcopy",
    "B": "behaved",
    "CA": "carray",
    "FA": "farray",
}
_SHOWN = "c_contiguous f_contiguous owndata writeable aligned writebackifcopy"


class Flags:
    """What ``x.flags`` gives: attributes, or items by NumPy's names in capitals.

    >>> from onebuf.buffer.buffer import Buffer
    >>> flags = Buffer([[1, 2], [3, 4]]).T.flags
    >>> flags.c_contiguous, flags["F_CONTIGUOUS"], flags.writeable
    (False, True, True)
    """

    __slots__ = ("_buffer",)

    def __init__(self, buffer: Handle) -> None:
        object.__setattr__(self, "_buffer", buffer)

    @property
    def c_contiguous(self) -> bool:
        """Whether the elements lie in row-major order without gaps."""
        view = view_of(self._buffer._node)  # type: ignore[attr-defined]
        return not view.numel or view.is_contiguous

    @property
    def f_contiguous(self) -> bool:
        """Whether the elements lie in column-major order without gaps."""
        view = view_of(self._buffer._node)  # type: ignore[attr-defined]
        order = range(len(view.shape))[::-1]
        return not view.numel or view.permute(tuple(order)).is_contiguous

    @property
    def owndata(self) -> bool:
        """Whether the elements are no other buffer's."""
        return not self._buffer.is_view  # type: ignore[attr-defined]

    @property
    def writeable(self) -> bool:
        """Whether the elements may be written."""
        buffer = self._buffer  # type: ignore[attr-defined]
        node = buffer._node
        if buffer._is_number:
            return False
        if node.array is not None and node.array.flags.c_contiguous:
            return bool(node.array.flags.writeable)
        if not is_here(node):
            return True
        if node.on_demand is not None:
            return bool(node.on_demand.writable)
        if not node.has_strides:
            return True
        if view_of(node).overlaps_itself:
            return False
        if node.array is None and node.base.array is None:
            return True  # still to be computed, into memory of its own
        return bool(own(node).flags.writeable)

    aligned = True
    writebackifcopy = False

    @property
    def behaved(self) -> bool:
        """Whether the elements are aligned and may be written."""
        return self.writeable

    @property
    def carray(self) -> bool:
        """Whether they may be written and lie in row-major order."""
        return self.writeable and self.c_contiguous

    @property
    def farray(self) -> bool:
        """Whether they may be written and lie in column-major order, and no other."""
        return self.writeable and self.fnc

    @property
    def contiguous(self) -> bool:
        """The same as ``c_contiguous``."""
        return self.c_contiguous

    @property
    def fortran(self) -> bool:
        """The same as ``f_contiguous``."""
        return self.f_contiguous

    @property
    def fnc(self) -> bool:
        """Whether they lie in column-major order, and not in row-major."""
        return self.f_contiguous and not self.c_contiguous

    @property
    def forc(self) -> bool:
        """Whether they lie in column-major or row-major order."""
        return self.f_contiguous or self.c_contiguous

    @property
    def num(self) -> int:
        """The flags as NumPy's number."""
        bits = {"c_contiguous": 1, "f_contiguous": 2, "owndata": 4, "aligned": 0x100}
        bits["writeable"] = 0x400
        return sum(bit for name, bit in bits.items() if getattr(self, name))

    def __getitem__(self, name: str) -> bool:
        found = getattr(self, self._attribute(name))
        return bool(found)

    def __setitem__(self, name: str, value: bool) -> None:
        setattr(self, self._attribute(name), value)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "writeable":
            set_writeable(self._buffer, bool(value))  # type: ignore[attr-defined]
        elif name in ("aligned", "writebackifcopy") and bool(value) is getattr(self, name):
            return
        else:
            raise ArgumentError(f"of the flags only writeable can be set, got {name}={value!r}")

    @staticmethod
    def _attribute(name: str) -> str:
        attribute = _NAMES.get(name, name.lower() if isinstance(name, str) else "")
        if not isinstance(getattr(Flags, attribute, None), property | bool):
            raise KeyError("Unknown flag")
        return attribute

    def __eq__(self, other: object) -> bool:
        return self.num == other.num if isinstance(other, Flags) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return "".join(f"  {name.upper()} : {getattr(self, name)}\n" for name in _SHOWN.split())


def set_writeable(buffer: Handle, wanted: bool) -> None:
    """Forbid writes through ``buffer``, or allow them where its memory does."""
    node = buffer._node
    if buffer._is_number or not is_here(node) or node.on_demand is not None:
        if wanted is not Flags(buffer).writeable:
            raise ReadOnlyError(
                f"cannot set WRITEABLE flag to {wanted} of this buffer: only elements in memory of "
                f"the host have one of their own"
            )
        return
    array = own(node)
    _ = node.base.block  # an array with a flag of its own must not go back to the pool as a cell
    try:
        array.flags.writeable = wanted
    except ValueError:
        raise ReadOnlyError(
            "cannot set WRITEABLE flag to True of this array: its memory may only be read; write "
            "to a copy instead: b = b.copy()"
        ) from None
