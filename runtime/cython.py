"""The types and decorators of Cython as the sources use them, for when they run interpreted.

Compiled, `cython` is the module that Cython knows by this name (cython_sources.py). What is used in ``if
cython.compiled`` branches alone is not here. Casts convert between integer and float as C does; they do not wrap, and
the sources do not rely on that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

_Decorated = TypeVar("_Decorated")

compiled: Final = False
NULL: Final = None

bint = bool
char = schar = uchar = short = ushort = int
uint = long = ulong = longlong = ulonglong = Py_ssize_t = size_t = int
double = float
p_char = p_uchar = p_int = p_longlong = p_ulonglong = p_double = object
int = int
float = float


def cast(to: type[Any], value: Any, *, typecheck: bool = False) -> Any:
    """The value, as int, float or bool when `to` is a number type."""
    return value if isinstance(value, to) else to(value)


def _unchanged(thing: _Decorated) -> _Decorated:
    return thing


cfunc = ccall = cclass = final = inline = nogil = _unchanged


def exceptval(*_value: Any, **_options: Any) -> Callable[[_Decorated], _Decorated]:
    """Says what a C function returns on an exception: nothing here."""
    return _unchanged


def locals(**_types: Any) -> Callable[[_Decorated], _Decorated]:
    """Types of variables: nothing here."""
    return _unchanged
