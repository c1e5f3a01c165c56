"""The twin reads every recorded message of both producers, and what it finds is what happened in the database.

What the protocol loses is told apart here, and nothing else: NULL that became a default, digits of decimals, dates
that are none, years of two digits. The codec is held against the twin: so the twin is held against the truth first.
"""

from __future__ import annotations

import base64
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import recorded
from json_twin import MalformedError, bits, double, single

from debezium.recordings import STREAMS, events
from debezium.twin import Flat, UndescribedError, key_values, read
from debezium.twin_tables import Tables
from debezium.values import BYTES, Declared

INTEGERS = ("tinyint", "smallint", "mediumint", "int", "bigint")
ZERO = {"date": "1970-01-01", "datetime": "1970-01-01 00:00:00"}


def stored(value: dict[str, str] | None) -> Any:
    """A value of the truth; strings as bytes."""
    if value is None:
        return None
    ((kind, said),) = value.items()
    match kind:
        case "int" | "uint":
            return int(said)
        case "f32":
            return bits(single(said))
        case "f64":
            return bits(double(said))
        case "bytes":
            return base64.b64decode(said)
    return said.encode()


def adjusted(text: str) -> str:
    """A date with a year of two digits as TiCDC takes it: 0 to 69 are of this century, 70 to 99 of the last."""
    year = int(text[:4])
    return f"{year + (2000 if year < 70 else 1900):04}{text[4:]}" if year < 100 else text


def wanted_date(text: str, nullable: bool, kind: str) -> str | None:
    """A DATE or DATETIME as the message has it: what no calendar has is null, or 1970 where null may not be."""
    try:
        datetime.fromisoformat(adjusted(text)[:10])
    except ValueError:
        return None if nullable else ZERO[kind]
    return adjusted(text)


def wanted_timestamp(text: str, zone: str) -> set[str]:
    """A TIMESTAMP in UTC: of two equal hours either; the epoch for what is below the least, in the producer's zone."""
    whole, point, fraction = text.partition(".")
    if whole < "1970-01-01 00:00:01":
        return {"1970-01-01 00:00:00"}
    local = datetime.strptime(whole, "%Y-%m-%d %H:%M:%S").replace(tzinfo=ZoneInfo(zone))
    both = (local.replace(fold=fold).astimezone(UTC) for fold in (0, 1))
    return {one.strftime("%Y-%m-%d %H:%M:%S") + point + fraction for one in both}


def short(text: str) -> str:
    """A time without zeros behind its point."""
    return re.sub(r"\.?0+$", "", text) if "." in text else text


def check_value(value: Any, wanted: Any, column: dict[str, Any], exact: bool, zone: str) -> None:
    """Holds a value that is not NULL in the database against the one that is."""
    kind = column["mysql_type"].replace("(", " ").split()[0]
    if kind == "float" and not exact:
        assert bits(single(repr(value))) == wanted  # FLOAT(M,D) looks like DOUBLE
    elif kind in ("float", "double"):
        assert bits(value) == wanted
    elif kind == "decimal":
        assert float(value) == float(wanted)
    elif kind in ("date", "datetime"):
        right = wanted_date(wanted.decode(), column["nullable"], kind)
        assert value == right if right is None else short(value or "") == short(right)
    elif kind == "timestamp":
        assert short(value) in {short(one) for one in wanted_timestamp(wanted.decode(), zone)}
    elif kind == "time":
        assert short(value) == short(wanted.decode())
    elif kind == "bigint" and not exact:
        assert value % 2**64 == wanted % 2**64
    elif kind in BYTES and not exact:
        assert base64.b64decode(value) == wanted
    elif kind == "year" and 0 < wanted < 100:  # a default as it was declared
        assert value == wanted + (2000 if wanted < 70 else 1900)
    elif kind == "enum" and wanted == 0:
        assert value == (column["elems"].index("") + 1 if "" in column["elems"] else 0)
    else:
        assert (value.encode() if isinstance(value, str) else value) == wanted


def for_null(column: dict[str, Any]) -> Any:
    """What stands for NULL in a column with a default, as the truth would have it; None where NULL is kept."""
    kind = column["mysql_type"].replace("(", " ").split()[0]
    said: Any = stored(column["default"])
    if said is None:
        return None
    found = said.decode() if isinstance(said, bytes) else said
    if kind in ("datetime", "timestamp") and str(found).upper().startswith("CURRENT_TIMESTAMP"):
        return b"1970-01-01 00:00:00" if kind == "datetime" or not column["nullable"] else None
    if kind == "timestamp" and str(found).startswith("0000"):
        return None
    if kind in (*INTEGERS, "year"):
        return int(found)
    if kind in ("float", "double"):
        return bits((single if kind == "float" else double)(str(found)))
    if kind == "bit":
        return int.from_bytes(said, "big") if isinstance(said, bytes) else said
    if kind == "enum":
        return column["elems"].index(found) + 1
    if kind == "set":
        return sum(1 << column["elems"].index(one) for one in found.split(",") if one)
    return said


def check_row(found: Flat, event: dict[str, Any], header: dict[str, Any], tables: Tables) -> None:
    """Holds a row change against what happened."""
    options = header["options"]
    declared = tables.at(event["schema"], event["table"], event["commit_ts"]) or {}
    columns = {c["name"]: (c, place) for place, c in enumerate(event["columns"]) if not c.get("is_virtual")}
    asked = [options.get(name, True) for name in ("debezium-output-old-value", "debezium.output-old-value")]
    kept_old = event["kind"] == "delete" or all(asked)
    images = {"new": found.new, "old": found.old}
    assert (found.new is None) == (event["new"] is None)
    assert (found.old is None) == (event["old"] is None or not kept_old)
    side = "old" if event["kind"] == "delete" else "new"
    assert list(found.key or ()) == [name for name, (column, _) in columns.items() if column["is_handle_key"]]
    for name, value in key_values(found).items():
        assert value == (images[side] or {})[name]
    for side, image in images.items():
        for name, value in (image or {}).items():
            column, place = columns[name]
            field = None if found.fields is None else found.fields[name]
            exact = field is None or field.tidb_type is not None or name in declared
            wanted = stored(event[side][place])
            wanted = for_null(column) if wanted is None else wanted
            if wanted is None:
                assert value is None
            else:
                check_value(value, wanted, column, exact, options["time-zone"])
        assert image is None or "column-selectors" in options or list(image) == list(columns)


def with_schema(stream: Path) -> bool:
    """Whether the messages of a stream say what their columns are."""
    return "debezium-disable-schema" not in recorded.header(stream)["options"]


@pytest.mark.parametrize("forgetful", [False, True], ids=["tables", "schema"])
@pytest.mark.parametrize("stream", STREAMS, ids=recorded.stream_name)
def test_the_twin_reads_what_happened(stream: Path, forgetful: bool) -> None:
    header = recorded.header(stream)
    forgetful = forgetful and with_schema(stream)
    for found, event, tables in events(stream, forgetful=forgetful):
        assert (found.kind, found.commit_ts) == (event["kind"], event["commit_ts"])
        assert (found.sent_ms, found.cluster) == (header["options"]["now_ms"], "default")
        asked = header["options"].get("debezium-include-start-ts") and found.kind in ("insert", "update", "delete")
        assert found.start_ts == (event["start_ts"] if asked else None)
        if found.kind == "ddl":
            assert found.query == event["query"]
        if found.kind in ("insert", "update", "delete"):
            assert (found.schema, found.table) == (event["schema"], event["table"])
            check_row(found, event, header, tables)
            assert found.exact == (not forgetful or "enable-tidb-extension" in header["options"] or not found.fields)


def test_every_stream_is_read() -> None:
    assert len(STREAMS) == 238
    assert sum(1 for stream in STREAMS for _ in recorded.messages(stream)) == 5100


KEY = b'{"payload":{}}'
ROW = b'{"payload":{"source":{"ts_ms":0,"db":"d","table":"t","commit_ts":5},"ts_ms":1,'
ROW += b'"op":"c","before":null,"after":{"a":%s}}}'


def described(kind: str, **more: Any) -> Tables:
    """A table of one column."""
    plain: dict[str, Any] = {"unsigned": False, "scale": None, "labels": (), "unit": None}
    return Tables({("d", "t"): {0: {"a": Declared(kind, **plain | more)}}})


@pytest.mark.parametrize(
    ("tables", "cell"),
    [
        (described("int"), b'"1"'),
        (described("int"), b"1.5"),
        (described("bigint"), b"9223372036854775808"),
        (described("blob"), b'"AA"'),
        (described("bit"), b"2"),
        (described("bit", bits=9), b"1"),
        (described("timestamp"), b'"2020-01-01 00:00:00"'),
        (described("enum", labels=("x",)), b'"y"'),
        (described("set", labels=("x",)), b'"x,y"'),
        (described("date"), b"99999999"),
        (described("datetime", scale=0), b"1"),
        (described("time", scale=3), b"1"),
        (described("float"), b'"1"'),
    ],
)
def test_what_is_wrong_is_refused(tables: Tables, cell: bytes) -> None:
    with pytest.raises(MalformedError):
        read(KEY, ROW % cell, tables)


@pytest.mark.parametrize(
    ("tables", "cell", "wanted"),
    [
        (described("bigint", unsigned=True), b"-1", 2**64 - 1),
        (described("bigint"), b"-1", -1),
        (described("bit", bits=9), b'"EAA="', 16),
        (described("bit"), b"true", 1),
        (described("decimal"), b"1e+21", "1000000000000000000000"),
        (described("datetime", scale=6), b"-1", "1969-12-31 23:59:59.999999"),
        (described("datetime", scale=3), b"-1", "1969-12-31 23:59:59.999"),
        (described("time", scale=1), b"-3020399000000", "-838:59:59.0"),
        (described("date"), b"-354285", "1000-01-01"),
        (described("set", labels=("x", "y")), b'"x,y"', 3),
        (described("enum", labels=("x",)), b'""', 0),
        (described("varbinary"), b'"/w=="', b"\xff"),
    ],
)
def test_what_values_are(tables: Tables, cell: bytes, wanted: Any) -> None:
    found = read(KEY, ROW % cell, tables)
    assert found is not None
    assert found.new == {"a": wanted}


def test_a_row_that_nobody_described_is_an_error_of_its_own() -> None:
    with pytest.raises(UndescribedError, match=r"d\.t"):
        read(KEY, ROW % b"1", Tables())
