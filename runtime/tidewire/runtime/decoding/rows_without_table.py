"""Rows whose messages do not name their table, or not its database: an option can name it.

Used only if the names differ from those of the previous such row.
"""

from __future__ import annotations

import re
import warnings
from typing import Final

from tidewire.runtime.errors import OptionError
from tidewire.runtime.shortened import shown

_TABLE = re.compile(r"(?:`((?:[^`]|``)+)`|([^`.]+))\.(?:`((?:[^`]|``)+)`|([^`.]+))")
EXAMPLE: Final = "shop.orders"


class UnnamedTableWarning(UserWarning):
    """Rows were decoded whose table or database is unknown; the text names the option that sets it."""


class RowsWithoutTable:
    """Finds the table of rows that do not name it; warns once if a table stays unknown."""

    def __init__(self, protocol: str, text: str, option: str) -> None:
        """
        Args:
            protocol: name of the protocol.
            text: value of the option, ``schema.table``; names with a dot or a backquote are in backquotes; empty: not
                set.
            option: name of the option.

        Raises:
            OptionError: the value is not a table name.
        """
        self._protocol = protocol
        self._option = option
        self._given = table_named(text, option)

    def table(self, schema: str | None, name: str | None) -> tuple[str | None, str | None]:
        """The table of a row whose message lacks at least one of the names. The option's table is used only if the
        names that the message has are the same, ignoring case; the message is never overruled.
        """
        if self._given is not None:
            pairs = zip((schema, name), self._given, strict=True)
            if all(said is None or said.lower() == given.lower() for said, given in pairs):
                return self._given
        return schema, name

    def warn(self, schema: str | None, name: str | None) -> None:
        """Warns of a row whose table or database is unknown; None: not known."""
        warnings.warn(self._sentence(schema, name), UnnamedTableWarning, stacklevel=3)

    def _sentence(self, schema: str | None, name: str | None) -> str:
        option = self._option
        lacks = "database" if name is not None else "table" if schema is not None else "database and no table"
        known = f" (its database is {shown(schema)})" if schema else f" (its table is {shown(name)})" if name else ""
        if self._given is not None:
            return (
                f"{self._protocol}: a row names no {lacks}{known}, and is of another table than option {option} names, "
                f"{'.'.join(self._given)}: its event has none. This warning is shown once"
            )
        return (
            f"{self._protocol}: a row names no {lacks}{known}, so its event has none, and is not among the rows of any "
            f'table. Name it with Options({option}="{EXAMPLE}"), in Spark options={{"{option}": "{EXAMPLE}"}}, on the '
            f"command line -o {option}={EXAMPLE}. This warning is shown once"
        )


def table_named(text: str, option: str) -> tuple[str, str] | None:
    """The table that an option names; None: not set.

    Args:
        text: value of the option.
        option: name of the option.

    Raises:
        OptionError: the value is not a table name.
    """
    found = _TABLE.fullmatch(text.strip())
    if not text.strip():
        return None
    if found is None:
        raise OptionError(f"option {option} is {shown(text)}: a table is named schema.table, such as {EXAMPLE}")
    names = [plain or quoted.replace("``", "`") for quoted, plain in (found.groups()[:2], found.groups()[2:])]
    return names[0], names[1]
