"""The dump that a table begins with, as requests and manifests name it.

A dump of TSO S has all changes with a commit ts up to S, so that a table is at S + 1 when it has the dump's rows.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, NamedTuple

from tidewire.mysql import ColumnType
from tidewire.reading.database.dump import Dump, TableName
from tidewire.reading.database.dumped_text import DumpError, DumpFormat
from tidewire.reading.options import check_timezone
from tidewire.runtime.shortened import public
from tidewire.runtime.tso import TSO_SHIFT
from tidewire.spark.sync.changelog import table_name

_LISTED = 10
_AHEAD_SECONDS = 600


class DumpAt(NamedTuple):
    """Where the dump of a request is.

    Attributes:
        place: its folder, or its address of fsspec.
        tso: its TSO.
        timezone: in which it has TIMESTAMP values; None if that is not known.
        format: how its files are written.
        start_ts: that of the changefeed, with which the topic begins; 0 if it is not known.
    """

    place: str
    tso: int
    timezone: str | None = None
    format: DumpFormat = DumpFormat()
    start_ts: int = 0

    def text(self) -> str:
        """JSON with all fields, for requests and manifests."""
        return json.dumps({**self._asdict(), "format": asdict(self.format)}, ensure_ascii=False)

    @classmethod
    def parse(cls, text: str) -> DumpAt:
        """The inverse of `text`."""
        of = json.loads(text)
        return cls(**{**of, "format": DumpFormat(**of["format"])})

    def opened(self) -> Dump:
        """Opens the dump.

        Raises:
            DumpError: the dump was removed, or another one is in its place.
        """
        return Dump(self.place, self.format, self.timezone, self.tso)


def found_dump(
    place: str,
    format: Mapping[str, Any] | None = None,
    timezone: str | None = None,
    tso: int | None = None,
    start_ts: int = 0,
) -> DumpAt:
    """A dump that a user names.

    Args:
        place: a folder, or an address of fsspec.
        format: values of `DumpFormat` that are not Dumpling's defaults.
        timezone: in which it has TIMESTAMP values.
        tso: its TSO, if its metadata has none.
        start_ts: of the changefeed.

    Raises:
        DumpError: it is no whole dump, or has no TSO that can be.
        OptionError: there is no such time zone.
    """
    if "://" not in place:
        place = os.path.abspath(place)
    if public(place) != place:
        raise DumpError(
            f"{public(place)}: a request is stored with the address of its dump, and this one has a secret in it: give"
            " credentials by the environment"
        )
    if timezone is not None:
        check_timezone(timezone)
    found = Dump(place, DumpFormat(**(format or {})), timezone, tso)
    if found.tso >> TSO_SHIFT > (time.time() + _AHEAD_SECONDS) * 1000:
        raise DumpError(f"{place}: its TSO, {found.tso}, is in the future: name the TSO at which it was made")
    if start_ts > found.tso:
        raise DumpError(
            f"{place} is of TSO {found.tso}, and a changefeed with --start-ts {start_ts} sends no changes between them:"
            f" make the dump later, or the changefeed with --start-ts {found.tso}"
        )
    return DumpAt(place, found.tso, timezone, found.format, start_ts)


def check_table(dump: Dump, table: str) -> str:
    """Refuses a table that a dump lacks, or whose TIMESTAMP values have no time zone. Returns its name as the database
    spells it.

    Raises:
        DumpError: the text says what to do.
    """
    found = named(dump, table)
    description = dump.describe(found)
    times = [one.name for one in description.row_columns() if one.type == ColumnType.TIMESTAMP]
    if times and dump.timezone is None:
        raise DumpError(
            f"table {table} of the dump in {dump.place}: its column {times[0]} has TIMESTAMP values, and it is not"
            " known in which time zone they are printed: say it with --timezone; dumpling --params time_zone=+00:00"
            " prints UTC (--timezone +00:00)"
        )
    return table_name(*found)


def named(dump: Dump, table: str) -> TableName:
    """A table of a dump, by a name of any case.

    Raises:
        DumpError: the dump has no such table.
    """
    if table in (exactly := {table_name(*one): one for one in dump.tables}):
        return exactly[table]
    found = [one for name, one in exactly.items() if name.lower() == table.lower()]
    if len(found) == 1:
        return found[0]
    there = [table_name(*one) for one in dump.names()]
    listed = ", ".join(there[:_LISTED]) + (", …" if len(there) > _LISTED else "")
    raise DumpError(f"the dump in {dump.place} has no table {table}: it has {listed or 'none'}")
