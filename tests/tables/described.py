"""Small readers of the descriptions in recorded messages of Simple and Debezium, and tables for property tests."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from archives import unpacked
from hypothesis import strategies as st
from recorded import OWN

from tidewire.mysql import type_text
from tidewire.tables import ColumnDescription, IndexDescription, TableDescription


class Message(NamedTuple):
    """A recorded message as JSON, with the numbers of its events."""

    scenario: str
    events: tuple[int, ...]
    value: dict[str, Any]


@cache
def folder() -> Path:
    """The recordings of Simple and Debezium."""
    return unpacked(OWN / "simple.tar.xz", OWN / "debezium.tar.xz")


def messages(name: str) -> Iterator[Message]:
    """The messages of all scenarios with that name (protocol and option set)."""
    for path in sorted(folder().glob(f"*/*/{name}.jsonl")):
        for line in map(json.loads, path.read_text("utf-8").splitlines()[1:]):
            if line.get("value"):
                value = json.loads(base64.b64decode(line["value"]))
                yield Message(path.parent.name, tuple(line["events"]), value)


def of_simple(schema: dict[str, Any]) -> TableDescription:
    """The description in a `tableSchema` of Simple."""
    columns = []
    for one in schema["columns"]:
        kind = one["dataType"]
        columns.append(
            ColumnDescription(
                one["name"],
                kind["mysqlType"],
                unsigned=kind.get("unsigned", False),
                zerofill=kind.get("zerofill", False),
                length=kind.get("length"),
                scale=kind.get("decimal"),
                labels=tuple(kind.get("elements", ())),
                charset=kind["charset"],
                collation=kind["collate"],
                nullable=one["nullable"],
                default=one["default"],
            )
        )
    indexes = [
        IndexDescription(one["name"], tuple(one["columns"]), one["unique"], one["primary"], one["nullable"])
        for one in schema["indexes"]
    ]
    return TableDescription(schema["schema"], schema["table"], columns, indexes, schema["tableID"], schema["version"])


def of_debezium(change: dict[str, Any]) -> TableDescription:
    """The description in an entry of `tableChanges` of Debezium."""
    # of a table that was renamed the id is both names
    schema, table = (part.strip('"') for part in change["id"].split('","')[-1].split('"."'))
    said = change["table"]
    columns = []
    for one in said["columns"]:
        words = one["typeExpression"].lower().split()
        columns.append(
            ColumnDescription(
                one["name"],
                words[0],
                unsigned="unsigned" in words,
                zerofill="zerofill" in words,
                length=one["length"],
                scale=one["scale"],
                labels=tuple(label.strip("'") for label in one["enumValues"] or ()),
                charset=one["charsetName"],
                nullable=one["optional"],
                default=one["defaultValueExpression"],
                comment=one["comment"],
                position=one["position"],
            )
        )
    keys = tuple(said["primaryKeyColumnNames"])
    indexes = [IndexDescription("PRIMARY", keys, True, True, False)] if keys else []
    return TableDescription(schema, table, columns, indexes, charset=said["defaultCharsetName"] or None)


def simple_descriptions() -> Iterator[tuple[str | None, TableDescription]]:
    """Every description that Simple's messages have, after a statement with the statement."""
    for _, _, value in messages("simple.json"):
        for member in ("preTableSchema", "tableSchema"):
            if value.get(member):
                yield value.get("sql") if member == "tableSchema" else None, of_simple(value[member])


def debezium_descriptions() -> Iterator[TableDescription]:
    """Every description that Debezium's messages have."""
    for name in ("debezium.default", "debezium.no-schema"):
        for _, _, value in messages(name):
            for change in value["payload"].get("tableChanges", ()):
                if change["table"] is not None:
                    yield of_debezium(change)


# ---- tables that hypothesis makes

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    ["`", "``; drop table t; --", "'", "\\", "\\'", "a'b\"c", "*/", "/*! x */", "\n", "\0", "ж", "😀", "%s", "NULL"]
)
names = texts.filter(lambda name: name.strip() == name != "" and "\0" not in name)


def _column(draw: Any, name: str, position: int) -> ColumnDescription:
    code = draw(
        st.sampled_from([1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 13, 15, 16, 225, 245, 246, 247, 248, 249, 252, 254])
    )
    binary = code in (15, 249, 252, 254) and draw(st.booleans())
    mysql_type = type_text(code, 1 if binary else 0)
    text = code in (15, 247, 248, 249, 252, 254) and not binary
    charset = draw(st.sampled_from(["utf8mb4", "latin1", "gbk"])) if text else "binary"
    length: int | None = None
    scale: int | None = None
    if code in (15, 254):
        length = draw(st.integers(1, 255))
    elif code == 16:
        length = draw(st.integers(1, 64))
    elif code == 246:
        length = draw(st.integers(1, 65))
        scale = draw(st.none() | st.integers(1, min(length, 30)))
    elif code in (7, 11, 12):
        scale = draw(st.none() | st.integers(1, 6))
    integer = code in (1, 2, 3, 8, 9)
    unsigned = integer and draw(st.booleans())
    labels = tuple(draw(st.lists(names, min_size=1, max_size=4, unique=True))) if code in (247, 248) else ()
    nullable = draw(st.booleans())
    default: str | int | None = None
    default_length: int | None = None
    if draw(st.booleans()):
        if text and not labels:
            default = draw(texts)
        elif labels:
            default = draw(st.sampled_from(labels))
        elif integer:
            default = str(draw(st.integers(0, 127)))
        elif code == 16:
            default = draw(st.integers(0, 1))
            default_length = draw(st.sampled_from([None, 2, 8, 255]))
    return ColumnDescription(
        name,
        mysql_type,
        unsigned=unsigned,
        zerofill=unsigned and draw(st.booleans()),
        length=length,
        scale=scale,
        labels=labels,
        charset=charset,
        collation=f"{charset}_bin" if text else charset,
        nullable=nullable,
        default=default,
        default_length=default_length,
        auto_increment=draw(st.sampled_from([None, True])) if integer else None,
        on_update=draw(st.sampled_from([None, True])) if code in (7, 12) else None,
        comment=draw(st.none() | texts.filter(bool)),
    )


@st.composite
def tables(draw: Any) -> TableDescription:
    """Tables that TiDB can have, with hostile names, texts and defaults."""
    found = draw(st.lists(names, min_size=1, max_size=6, unique_by=lambda name: name.lower()))
    columns = [_column(draw, name, at) for at, name in enumerate(found, 1)]
    indexes = []
    for at in range(draw(st.integers(0, 2))):
        chosen = draw(st.lists(st.sampled_from(columns), min_size=1, max_size=3, unique=True))
        unique = draw(st.booleans())
        nullable = any(one.nullable for one in chosen)
        name = f"i{at}{draw(texts).strip()}".replace("\0", "")
        indexes.append(IndexDescription(name, tuple(one.name for one in chosen), unique, False, nullable))
    return TableDescription(
        draw(st.none() | names),
        draw(names),
        columns,
        indexes,
        draw(st.none() | st.integers(1, 2**62)),
        draw(st.none() | st.integers(0, 2**64 - 1)),
        draw(st.none() | st.sampled_from(["utf8mb4", "latin1"])),
        draw(st.none() | texts.filter(bool)),
    )
