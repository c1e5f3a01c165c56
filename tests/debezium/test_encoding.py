"""Recorded messages are decoded and encoded again: they are the same to the byte, but for what the protocol loses.

What is lost is named here, with the number of messages that it changes: what a message says, and its event does not.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import recorded

from debezium.recordings import STREAMS, plain
from tidewire import debezium

pytestmark = pytest.mark.codec

TWICE = "classic TiCDC sends the default of bytes twice in the place of NULL"
YEAR = "classic TiCDC sends the default of a YEAR as a text in the place of NULL"
CALENDAR = "a date that no calendar has is null in a column with a default, which is read as NULL"
SELECTED = "a description does not tell virtual columns, which blocks declare, from those that were not selected"


class Object(list[tuple[str, Any]]):
    """The members of an object, in order, a name that is there twice as often as it is."""


def parsed(message: bytes) -> Any:
    """A message with its numbers as they are spelled."""
    return json.loads(message, object_pairs_hook=Object, parse_int=number, parse_float=number)


def number(spelled: str) -> tuple[str, str]:
    """A number as it is spelled: no text is equal to it."""
    return "number", spelled


def changed(value: Any, change: Callable[[Object], Object]) -> Any:
    """A value of JSON with each object in it changed."""
    if isinstance(value, Object):
        return change(Object((name, changed(one, change)) for name, one in value))
    return [changed(one, change) for one in value] if isinstance(value, list) else value


def once(said: Object) -> Object:
    """The members of an object, those that are there again left out."""
    found = dict(reversed(said))
    return Object((name, found[name]) for name in dict(said))


def years(said: Object) -> Object:
    """Numbers that are texts, as numbers; of two digits as years from 1970 to 2069."""
    return Object((name, number(_year(one)) if isinstance(one, str) and one.isdigit() else one) for name, one in said)


def _year(text: str) -> str:
    return f"{20 if int(text) < 70 else 19}{text}" if len(text) == 2 else text


def calendars(said: Object) -> Object:
    """The default of the last column, which is 0, as null."""
    return Object((name, None if name == "c6" and one == number("0") else one) for name, one in said)


def selected(message: Any) -> Any:
    """A message whose block declares the columns of its rows, and no others."""
    payload = dict(dict(message)["payload"])
    if "op" not in payload:
        return message
    sent = {name for side in ("before", "after") for name, _ in payload.get(side) or ()}

    def fields(said: Object) -> Object:
        if dict(said).get("field") not in ("before", "after"):
            return said
        return Object(
            (name, [field for field in one if dict(field)["field"] in sent] if name == "fields" else one)
            for name, one in said
        )

    return changed(message, fields)


RECORDED = 5100
"""Messages of all streams."""
LOSSES: dict[str, Callable[[Any], Any]] = {
    TWICE: lambda message: changed(message, once),
    YEAR: lambda message: changed(message, years),
    CALENDAR: lambda message: changed(message, calendars),
    SELECTED: selected,
}
"""What can make a message another one, and the message as if it did not matter."""
LOST = {
    (TWICE,): 112,
    (TWICE, YEAR): 24,
    (TWICE, YEAR, SELECTED): 4,
    (TWICE, SELECTED): 15,
    (YEAR,): 4,
    (SELECTED,): 43,
    (CALENDAR,): 8,
}
"""The messages in which it does."""


def options_of(stream: Path) -> debezium.Options:
    """The options of a stream, without its compression."""
    header = recorded.header(stream)
    said = header["options"]
    return debezium.Options(
        producer=header["producer"],
        enable_tidb_extension=said.get("enable-tidb-extension", False),
        debezium_disable_schema=said.get("debezium-disable-schema", False),
        debezium_output_old_value=said.get("debezium-output-old-value", said.get("debezium.output-old-value", True)),
        debezium_include_start_ts=said.get("debezium-include-start-ts", False),
    )


def again(stream: Path) -> Iterator[tuple[bytes, bytes, bytes, bytes]]:
    """Each message of a stream: key and value as they were recorded, and as they are encoded again."""
    messages = list(plain(stream))
    decoder = debezium.Decoder()
    columns = decoder.decode([value for _, _, value in messages], [key for _, key, _ in messages])
    written = debezium.Encoder(options_of(stream), tables=decoder.tables).encode(columns).to_pylist()
    for (_, key, value), one in zip(messages, written, strict=True):
        yield key, value, one["key"], one["value"]


def reasons(value: bytes, written: bytes) -> tuple[str, ...]:
    """Why two messages differ: the losses without which they do not."""
    one, other = parsed(value), parsed(written)
    found = []
    for loss, without in LOSSES.items():
        left, right = without(one), without(other)
        if (left, right) != (one, other) and not _alike(one, other, left, right):
            found.append(loss)
            one, other = left, right
    assert one == other, (value, written)
    return tuple(found)


def _alike(one: Any, other: Any, left: Any, right: Any) -> bool:
    """Whether nothing has become equal that was not."""
    return _differences(one, other) == _differences(left, right)


def _differences(one: Any, other: Any) -> int:
    """How many places of two values differ."""
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        missing = abs(len(one) - len(other))
        return missing + sum(_differences(left, right) for left, right in zip(one, other, strict=False))
    return int(one != other)


def test_messages_are_the_same_but_for_what_is_lost() -> None:
    same, lost = 0, Counter[tuple[str, ...]]()
    for stream in STREAMS:
        for key, value, written_key, written in again(stream):
            assert written_key == key
            if written == value:
                same += 1
            else:
                lost[reasons(value, written)] += 1
    assert lost == LOST
    assert same == RECORDED - sum(LOST.values())
