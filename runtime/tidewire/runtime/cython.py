"""Cython's types and decorators as the sources use them, for interpreted runs.

In compiled modules, `cython` is Cython's own module (cython_sources.py). Names that are used only in ``if
cython.compiled`` branches are absent here. Casts convert between integer and float as C does; they do not wrap around,
and the sources do not rely on that.
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
    """The value, converted to int, float or bool if `to` is a number type."""
    return value if isinstance(value, to) else to(value)


def _unchanged(thing: _Decorated) -> _Decorated:
    return thing


cfunc = ccall = cclass = final = inline = nogil = _unchanged


def exceptval(*_value: Any, **_options: Any) -> Callable[[_Decorated], _Decorated]:
    """The value that a C function returns on an exception; has no effect here."""
    return _unchanged


def locals(**_types: Any) -> Callable[[_Decorated], _Decorated]:
    """C types of variables; has no effect here."""
    return _unchanged
