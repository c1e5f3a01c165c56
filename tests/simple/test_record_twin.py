"""The twin of Simple's records reads every recorded message of both producers as fastavro reads it, by TiCDC's schema.

The decoder is held against the twin: so the twin is held against another reader first.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import recorded
from json_twin import MalformedError

from simple import avro_twin
from simple.record_twin import places, read
from simple.twin import Flat, Located, Table, Tables, UndescribedError

STREAMS = recorded.streams("simple-records")


def plain(stream: Path) -> list[bytes]:
    """The values of a stream, without their compression."""
    return [message.value for message in recorded.plain(stream)]


def bare(record: Any) -> Any:
    """A record without its name, which fastavro puts before one that is in a union."""
    return record[1] if isinstance(record, tuple) else record


def as_said(table: Any) -> Any:
    """A description of fastavro's as the twin has it, but for defaults, which may be bytes."""
    table = bare(table)
    if table is None:
        return None
    columns = []
    for one in table["columns"]:
        kind = one["dataType"]
        columns.append(
            (
                one["name"], kind["mysqlType"], kind["charset"], kind["collate"], kind["length"] or None,
                kind["decimal"] or None, tuple(kind["elements"] or ()), bool(kind["unsigned"]), bool(kind["zerofill"]),
                one["nullable"],
            )
        )  # fmt: skip
    indexes = [(i["name"], i["unique"], i["primary"], i["nullable"], tuple(i["columns"])) for i in table["indexes"]]
    return table["database"], table["table"], table["tableID"], table["version"], columns, indexes


def of_twin(table: Table | None) -> Any:
    """The same of the twin's."""
    if table is None:
        return None
    columns = [tuple(column[:10]) for column in table.columns]
    return *table[:4], columns, [tuple(index) for index in table.indexes]


def check_image(found: dict[str, Any] | None, wanted: dict[str, Any] | None) -> None:
    """Holds a row image against fastavro's."""
    assert (found or {}).keys() == (wanted or {}).keys()
    for name, value in (wanted or {}).items():
        own = (found or {})[name]
        if isinstance(value, tuple):
            record = bare(value)
            value = record["value"]
            if "location" in record:
                assert isinstance(own, Located)
                assert own.zone == record["location"]
        if type(own) is int:  # unsigned ones are written as their bits, or as digits
            assert (int(value) - own) % 2**64 == 0
        else:
            assert own == value


def check(found: Flat, wanted: dict[str, Any]) -> None:
    """Holds what the twin found against what fastavro did."""
    assert found.sent_ms == wanted["buildTs"]
    assert found.commit_ts == wanted.get("commitTs", 0)
    assert (found.ddl_class or found.kind.upper()) == wanted.get("type", wanted["kind"])
    assert (found.query, found.schema, found.table) == (
        wanted.get("sql") or None,
        wanted.get("database"),
        wanted.get("table"),
    )
    assert (found.table_id, found.table_version) == (wanted.get("tableID"), wanted.get("schemaVersion"))
    assert (found.claim_check, found.handle_key_only or None) == (
        wanted.get("claimCheckLocation") or None, wanted.get("handleKeyOnly") or None,
    )  # fmt: skip
    assert of_twin(found.after) == as_said(wanted.get("tableSchema"))
    assert of_twin(found.before) == as_said(wanted.get("preTableSchema"))
    sums = bare(wanted.get("checksum"))
    assert found.checksum == (sums and tuple(sums[name] for name in ("version", "corrupted", "current", "previous")))
    check_image(found.new, wanted.get("data"))
    check_image(found.old, wanted.get("old"))


@pytest.mark.parametrize("stream", STREAMS, ids=recorded.stream_name)
def test_the_twin_reads_what_fastavro_reads(stream: Path) -> None:
    tables: Tables = {}
    for value in plain(stream):
        found = read(value, tables)
        check(found, avro_twin.read(value))
        for table in (found.after, found.before):
            if table is not None:
                tables.setdefault((table.schema, table.table, table.version), table)


def test_what_stands_where_covers_a_message() -> None:
    """A row whose table nobody has described is told apart from what is none, and its places are all of its bytes."""
    stream = next(one for one in STREAMS if recorded.option_set(one) == "avro")
    value = next(one for one in plain(stream) if one[1] == 6)
    with pytest.raises(UndescribedError):
        read(value, {})
    for size in range(len(value)):
        with pytest.raises(MalformedError) as error:
            read(value[:size], {})
        assert type(error.value) is MalformedError
    covered = {at for place in places(value) for at in range(place.start, place.end)}
    assert covered == set(range(len(value)))
