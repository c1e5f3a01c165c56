"""`tidewire sync verify`: published tables against the source's rows at the same TSO, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tidewire.cli.shell import CommandError, many
from tidewire.cli.sync_values import SyncFile

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tidewire.reading.database.connection import Address
    from tidewire.reading.database.dump import Dump
    from tidewire.spark.sync.verifying.comparing import Compared, Difference
    from tidewire.spark.sync.verifying.tables import TableVerdict, Verification

EQUAL, DIFFERENT, NOT_COMPARED = 0, 1, 2
"""The exit codes; an error has the last one, too."""
_KINDS = {
    "missing": ("missing", "missing from the table"),
    "extra": ("extra", "only in the table"),
    "repeated": ("repeated", "more than once in the table"),
    "different": ("different", "different"),
}
"""By kind of a difference: how it is counted, and how a row is shown."""


@dataclass(frozen=True)
class Wanted:
    """What is to be compared.

    Attributes:
        of: the synchronisation file.
        source: a dump, or how to connect.
        as_of: a TSO or a time; None for the newest.
        tables: names; empty for all.
        rows: how many rows of each kind are shown of a table.
    """

    of: SyncFile
    source: Dump | Address
    as_of: str | None
    tables: Sequence[str]
    rows: int


def wanted(
    of: SyncFile,
    tables: Sequence[str],
    rows: int,
    dump: str | None,
    timezone: str | None,
    url: str | None,
    as_of: str | None,
) -> Wanted:
    """What is to be compared, by the options of the command and else by the file. Spark is not started.

    Raises:
        CommandError: no source is named, or two.
        TidewireError: the dump cannot be read, or nothing is published at its TSO.
    """
    from tidewire.reading.database.connection import Address, address_of
    from tidewire.reading.database.dump import Dump
    from tidewire.reading.database.dumped_text import DumpFormat
    from tidewire.reading.options import check_timezone
    from tidewire.spark.sync.verifying.tables import published_at

    given: Mapping[str, Any] = of.verify
    if dump is None and url is None:
        dump, module = given.get("dump"), given.get("module")
    else:
        module = None
    if [dump, url, module].count(None) != 2:
        named = "two sources are named" if dump or url or module else "no source is named"
        raise CommandError(
            f"{named}: say --dump DIR, or --source URL as in pymysql://tidb:4000/?user=me, or one of both in the file,"
            " under verify"
        )
    if dump is not None:
        if as_of is not None:
            raise CommandError("--as-of is for a connection: a dump has a TSO of its own")
        timezone = timezone or given.get("timezone")
        if timezone is not None:
            check_timezone(timezone)
        found = Dump(dump, DumpFormat(**given.get("csv", {})), timezone)
        published_at(of.state, found)
        return Wanted(of, found, None, tables, rows)
    if timezone is not None:
        raise CommandError("--timezone is for a dump: a connection reads TIMESTAMP values in UTC")
    address = address_of(url) if url is not None else Address(str(module), given.get("arguments", {}))
    return Wanted(of, address, as_of, tables, rows)


def verification(spark: SparkSession, of: Wanted) -> Verification:
    """The comparison, which reads when its verdicts are asked for."""
    from tidewire.reading.database.dump import Dump
    from tidewire.spark.sync.verifying.tables import verify_database, verify_dump

    more: dict[str, Any] = {
        "tables": of.of.tables,
        "options": of.of.options,
        "only": of.tables,
        "shown": of.rows,
    }
    if isinstance(of.source, Dump):
        return verify_dump(spark, of.of.state, of.source, **more)
    frozen = bool(of.of.verify.get("frozen"))
    return verify_database(spark, of.of.state, of.source, of.as_of, frozen, **more)


def close(of: Verification) -> None:
    """Closes the source."""
    closing = getattr(of.source, "close", None)
    if closing is not None:
        with suppress(Exception):
            closing()


def exit_code(verdicts: Sequence[TableVerdict]) -> int:
    """0: all that is compared is equal; 1: something differs; 2: nothing differs, and something was not compared that
    should have been, or nothing was.
    """
    if any(one.verdict == "different" for one in verdicts):
        return DIFFERENT
    left_out = any(one.verdict == "not compared" and not one.expected for one in verdicts)
    return NOT_COMPARED if left_out or not any(one.verdict == "equal" for one in verdicts) else EQUAL


def heading(of: Verification) -> str:
    """The first line: what is compared with what."""
    from tidewire.spark.sync.publish import time_of

    return f"tables as published at {time_of(of.resolved)} ({of.resolved}), the source at {of.at}"


def summary(verdicts: Sequence[TableVerdict]) -> str:
    """The last line."""
    counts = [(sum(one.verdict == kind for one in verdicts), kind) for kind in ("equal", "different", "not compared")]
    told = [f"{many(count, 'table')} {kind}" for count, kind in counts if count]
    return ", ".join(told) or "there is no table to compare"


def lines_of(one: TableVerdict) -> Iterator[str]:
    """A verdict as lines of text."""
    found = one.compared
    if found is None:
        yield f"{one.table}: {one.verdict}: {one.reason}"
    elif one.verdict == "equal":
        yield f"{one.table}: equal, {many(found.source, 'row')}"
    else:
        counts = _counts(found)
        said = [*([one.reason] if one.reason else []), *([counts] if counts else [])]
        yield f"{one.table}: different: {'; '.join(said)}"
        yield f"    {many(found.source, 'row')} in the source, {found.table:,} in the table"
        yield from (f"    {_difference(each)}" for each in found.differences)
        more = sum(found.counts.values()) - len(found.differences)
        if found.differences and more > 0:
            yield f"    and {more:,} more"
        if found.unseen:
            yield f"    {many(found.unseen, 'other range')} of keys differ, too: their rows were not looked at"
    yield from (f"    {note}" for note in one.notes)


def object_of(one: TableVerdict, at: int) -> dict[str, Any]:
    """A verdict as an object of JSON."""
    found = one.compared
    told: dict[str, Any] = {"table": one.table, "resolved": one.resolved, "source_tso": at, "verdict": one.verdict}
    if one.reason:
        told["reason"] = one.reason
    if found is not None:
        told |= {"rows": {"source": found.source, "table": found.table}, "ranges": found.ranges}
        told |= {name: found.counts.get(kind, 0) for kind, (name, _) in _KINDS.items()}
        told["unseen_ranges"] = found.unseen
        told["differences"] = [
            {
                "kind": each.kind,
                "key": dict(each.key),
                **({"columns": {name: list(some) for name, some in each.columns.items()}} if each.columns else {}),
            }
            for each in found.differences
        ]
    return {**told, "notes": list(one.notes)}


def _counts(found: Compared) -> str:
    counts = [f"{found.counts[kind]:,} {name}" for kind, (name, _) in _KINDS.items() if found.counts.get(kind)]
    return f"{'at least ' if found.unseen else ''}{', '.join(counts)}" if counts else ""


def _difference(one: Difference) -> str:
    key = ", ".join(f"{name}={_value(value)}" for name, value in one.key.items())
    told = f"{_KINDS[one.kind][1]}: {key}"
    columns = [
        f"{name} is {_value(source)} in the source and {_value(table)} in the table"
        for name, (source, table) in one.columns.items()
    ]
    return f"{told}: {'; '.join(columns)}" if columns else told


def _value(text: str | None) -> str:
    return "NULL" if text is None else text or "''"
