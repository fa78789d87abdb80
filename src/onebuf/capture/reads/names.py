"""Names: the attributes that any code of a function mentions, and what it does with them."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

from onebuf.capture.reads.bytecode import Use, Uses
from onebuf.capture.reads.containers import harmless
from onebuf.capture.reads.user_code import OWN
from onebuf.native import FUNCTIONS

_MAKING = frozenset({"__init__", "__new__", "__post_init__"})
"""Methods that run when an instance is made."""
_TEXT = frozenset({"__repr__", "__str__", "__format__"})
_NEVER = frozenset({"__init_subclass__", "__class_getitem__", "__set_name__", "__del__"})
"""Methods that run when a class is made, or when an object dies."""
_CODE = (FunctionType, classmethod, staticmethod, property, *FUNCTIONS)
"""What a method in a class may be."""


@dataclass(slots=True)
class Names:
    """What all code that was reached does with attributes."""

    uses: dict[str, set[Use]] = field(default_factory=dict)
    read: set[str] = field(default_factory=set)
    """Attributes that are read by name."""
    stored: set[str] = field(default_factory=set)
    is_dynamic: bool = False
    """Whether attributes of instances are read without being named."""
    is_dynamic_for_modules: bool = False
    """Whether attributes of modules may be read without being named."""
    is_text: bool = False
    """Whether objects are made text."""
    makes: bool = False
    """Whether instances may be made of the class of another instance."""

    def add(self, uses: Uses, function: FunctionType) -> None:
        """Add what the code of ``function`` does."""
        for name, ways in uses.attributes.items():
            self.uses.setdefault(name, set()).update(ways)
            if Use.READ in ways:
                self.read.add(name)
        self.stored |= uses.stored
        self.is_text |= uses.is_text
        self.makes |= "type" in uses.globals or "__class__" in uses.attributes
        if uses.is_dynamic:
            self.is_dynamic = True
            self.read |= uses.strings
            if not function.__code__.co_filename.startswith(str(OWN)):
                self.is_dynamic_for_modules = True

    def counts(self, name: str, value: Any) -> bool:
        """Whether code only counts with the attribute ``name``, which has this value."""
        return name not in self.read and name in self.uses and harmless(value, self.uses[name])

    def reads_attribute(self, name: str, value: Any) -> bool:
        """Whether code reads the attribute ``name``, which has this value, of an instance."""
        if name in self.read:
            return True
        return (self.is_dynamic or name in self.uses) and not self.counts(name, value)

    def reads_global(self, name: str) -> bool:
        """Whether code reads the attribute ``name`` of a module."""
        is_special = name.startswith("__") and name.endswith("__")
        return name in self.uses or (self.is_dynamic_for_modules and not is_special)

    def has_method(self, name: str, value: Any, is_called: bool = True) -> bool:
        """Whether code may come upon the entry ``name`` of a class, which has this value."""
        if name in self.uses:
            return not self.counts(name, value)
        is_special = name.startswith("__") and name.endswith("__")
        if is_special:
            if not isinstance(value, _CODE):
                return False
            if name in _MAKING:
                return is_called or self.makes
            return self.is_text if name in _TEXT else name not in _NEVER
        return self.is_dynamic
