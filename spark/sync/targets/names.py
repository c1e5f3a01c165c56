"""The location or name of a table, from a template with `{schema}` and `{table}`."""

from __future__ import annotations

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

    def aside(self, name: str, owner: str, ended: int) -> str:
        """The name of a table that is moved out of another one's way: with the commit ts of its DROP, otherwise with
        its id.
        """
        schema, table = split(name)
        return table_name(schema, f"{table}__dropped_{ended}" if ended else f"{table}__{owner.rpartition('/')[2]}")


def _file_name(text: str) -> str:
    """A text as a file name: letters and digits of any language stay."""
    plain = "".join(one if one.isalnum() or one in "-_.@+$~ " else quote(one, safe="") for one in text)
    return plain.replace(".", "%2E") if not plain.strip(".") else plain
