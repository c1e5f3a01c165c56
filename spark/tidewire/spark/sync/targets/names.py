"""The location or name of a table, from a template with `{schema}` and `{table}`."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import quote

from tidewire.spark.sync.changelog import table_name
from tidewire.spark.sync.targets import split
from tidewire.spark.sync.targets.shapes import TargetError


class Template:
    """A template: `/lake/{schema}/{table}`, or `lake.{schema}.{table}`."""

    def __init__(self, text: str) -> None:
        if "{table}" not in text:
            raise TargetError(f"{text} does not say where {{table}} is in it: all tables would be one")
        self.text = text.removeprefix("file://") if text.startswith("file:///") else text

    @property
    def is_path(self) -> bool:
        """Whether it is a path or URL rather than a name."""
        return "/" in self.text

    def path(self, name: str) -> str:
        """The folder of a table. Characters unfit for file names are percent-encoded."""
        schema, table = (_file_name(one) for one in split(name))
        return self.text.replace("{schema}", schema).replace("{table}", table)

    def parts(self, name: str) -> tuple[str, ...]:
        """The parts of a table's name."""
        schema, table = split(name)
        return tuple(one.replace("{schema}", schema).replace("{table}", table) for one in self.text.split("."))

    def aside(self, name: str, owner: str, ended: int, there: Callable[[str], bool]) -> str:
        """The name of a table that is moved out of another one's way, under which `find` finds it: with the commit ts
        of its DROP, otherwise with its id; once more with its id if another table has that name.

        Args:
            name, owner: the table.
            ended: the commit ts of its DROP; 0 for none.
            there: whether there is a table with a name.

        Raises:
            TargetError: there are tables with all of these names.
        """
        schema, table = split(name)
        number = owner.rpartition("/")[2]
        dropped = f"__dropped_{ended}"
        first = table + dropped if ended and not table.endswith(dropped) else f"{table}__{number}"
        names = [table_name(schema, one) for one in (first, f"{first}__{number}")]
        free = next((one for one in names if not there(one)), None)
        if free is None:
            raise TargetError(f"table {name} cannot be kept aside: {' and '.join(names)} exist already; rename one")
        return free

    def place(self, name: str) -> str:
        """The location of a table; two tables cannot have the same."""
        return self.path(name) if self.is_path else ".".join(self.parts(name)).lower()


def plain_path(location: object) -> str:
    """A location in Hadoop's form; without its scheme if it is in a folder."""
    text = str(location)
    return text.removeprefix("file://") if text.startswith("file:///") else text.removeprefix("file:")


def _file_name(text: str) -> str:
    """A text as a file name: letters and digits of any language stay."""
    plain = "".join(one if one.isalnum() or one in "-_.@+$~ " else quote(one, safe="") for one in text)
    return plain.replace(".", "%2E") if not plain.strip(".") else plain
