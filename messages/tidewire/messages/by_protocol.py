"""A dictionary by protocol name, in any case and with `-` or `_`."""

from __future__ import annotations

import difflib
from typing import Any, TypeVar

from tidewire.runtime.errors import TidewireError
from tidewire.runtime.shortened import MOST_SHOWN, shown

Value = TypeVar("Value")


class UnknownProtocolError(TidewireError, KeyError):
    """No protocol has this name; the text lists the valid names."""

    def __str__(self) -> str:
        # KeyError prints the representation of its argument, with quotes around the sentence.
        return str(self.args[0]) if self.args else ""


class ByProtocol(dict[str, Value]):
    """A dictionary whose keys are TiCDC's names of protocols; lookups ignore case and treat `-` and `_` as equal.

    Raises:
        UnknownProtocolError: a name is not in the dictionary.
    """

    def __getitem__(self, name: str) -> Value:
        if not isinstance(name, str):
            raise UnknownProtocolError(f"no protocol is called {shown(name)}; there are: {', '.join(self)}")
        return super().__getitem__(name)

    def __missing__(self, name: str) -> Value:
        return self[self.own_name(name)]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and _folded(name) in map(_folded, self)

    def get(self, name: str, default: Any = None) -> Any:
        """The value for that protocol, or the default."""
        try:
            return self[name]
        except UnknownProtocolError:
            return default

    def own_name(self, name: str) -> str:
        """The name as TiCDC spells it.

        Raises:
            UnknownProtocolError: no protocol has this name.
        """
        for own in self:
            if _folded(own) == _folded(name):
                return own
        near = difflib.get_close_matches(_folded(name[:MOST_SHOWN]), map(_folded, self), n=1, cutoff=0.5)
        hint = f"did you mean {self.own_name(near[0])}? There" if near else "there"
        raise UnknownProtocolError(f"no protocol is called {shown(name)}; {hint} are: {', '.join(self)}")


def _folded(name: str) -> str:
    return name.lower().replace("_", "-")
