"""Prints what becomes of 64-bit extremes in every codec that reads or writes a number.

Run compiled and interpreted, it prints the same (`test_modes.py`).
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from functools import cache, partial
from typing import Any

from both_modes import show

import tidewire
from tidewire import debezium, debezium_avro
from tidewire.events import Events, RowChange, Watermark
from tidewire.messages.registry import MemorySchemas
from tidewire.mysql import ColumnType
from tidewire.runtime.batch import Column, EventColumns
from tidewire.runtime.errors import TidewireError

TS = 470607536966860800
LEAST, MOST = -(2**63), 2**63 - 1
AT_THE_ENDS = [LEAST, LEAST + 1, LEAST + 2, MOST, MOST - 1, MOST - 2, -1, 0, 1]
KNOWN = 1_577_836_800
"""A moment, 2020-01-01, in seconds."""
TIMES: dict[str, tuple[ColumnType, str, str]] = {
    "date": (ColumnType.DATE, "2020-01-01", "date"),
    "datetime": (ColumnType.DATETIME, "2020-01-01 00:00:00", "datetime"),
    "datetime3": (ColumnType.DATETIME, "2020-01-01 00:00:00.000", "datetime(3)"),
    "datetime6": (ColumnType.DATETIME, "2020-01-01 00:00:00.000000", "datetime(6)"),
    "time": (ColumnType.TIME, "01:02:03", "time"),
    "time6": (ColumnType.TIME, "01:02:03.000004", "time(6)"),
    "year": (ColumnType.YEAR, "2020", "year"),
    "bigint": (ColumnType.BIGINT, "1577836800", "bigint"),
}


@cache
def numbers() -> list[int]:
    """Numbers at the ends, around powers, around days, and at random."""
    found = {*AT_THE_ENDS}
    for power in range(64):
        found |= {2**power - 1, 2**power, -(2**power), -(2**power) - 1, -(2**power) + 1}
    for unit in (1, 1000, 10**6, 10**9):
        for limit in (86400, 719528 * 86400, 2932896 * 86400, 2932897 * 86400, 3600 * 839, 3600 * 1000, LEAST // unit):
            found |= {sign * limit * unit + less for sign in (1, -1) for less in (-1, 0, 1)}
    chance = random.Random(7)
    found |= {chance.randrange(LEAST, MOST + 1) for _ in range(60)}
    return sorted(one for one in found if LEAST <= one <= MOST)


def zigzag(value: int) -> bytes:
    """A number as Avro has it."""
    rest, found = (value << 1) ^ (value >> 63), bytearray()
    rest &= 2**64 - 1
    while rest > 0x7F:
        found.append(rest & 0x7F | 0x80)
        rest >>= 7
    return bytes([*found, rest])


def change(kind: ColumnType, value: Any, declared: str, flags: int = 64) -> RowChange:
    columns = [Column("id", ColumnType.BIGINT, 2, "bigint"), Column("c", kind, flags, declared)]
    return RowChange("insert", TS, "s", "t", {"id": 1, "c": value}, columns=columns, sent_ms=1, table_version=3)


def said(call: Any) -> str:
    """What a call gives, or the error that it raises."""
    try:
        return repr(call())
    except TidewireError as error:
        return f"{type(error).__name__}: {error}"


def read_as_connect() -> Iterator[str]:
    """Times that are numbers, in blocks and in Avro's schemas: of each message its row, or its error."""
    for name, (kind, text, declared) in TIMES.items():
        value: Any = int(text) if text.isdigit() else text
        event = change(kind, value, declared)
        schemas = MemorySchemas()
        (message,), (record,) = debezium.encode([event]), debezium_avro.encode([event], schemas=schemas)
        assert message.value is not None
        assert record.value is not None
        payload = json.loads(message.value)["payload"]["after"]["c"]
        before = f'"c":{json.dumps(payload)}'.encode()
        assert message.value.count(before) == 1
        changed = [message.value.replace(before, b'"c":%d' % number) for number in numbers()]
        yield from outcomes(f"debezium {name}", debezium.Decoder().attempt(changed, [message.key] * len(changed)))
        if record.value.count(zigzag(payload)) == 1:
            changed = [record.value.replace(zigzag(payload), zigzag(number)) for number in numbers()]
            decoder = debezium_avro.Decoder(schemas=schemas)
            yield from outcomes(f"debezium-avro {name}", decoder.attempt(changed, [record.key] * len(changed)))


def outcomes(name: str, columns: EventColumns) -> Iterator[str]:
    """The rows and the errors of messages that are called so."""
    messages = columns.events["message"].to_pylist()
    for one, message in zip(Events(columns), messages, strict=True):
        row: Any = one
        yield f"{name} {numbers()[message]}: {dict(row.new)} {row.columns}"
    for error in columns.errors:
        yield f"{name} {numbers()[error.message or 0]}: {error}"


def there_and_back(module: Any, event: Any, chosen: Any, given: dict[str, Any]) -> list[Any]:
    """The messages of an event, and what is read of them."""
    found: list[Any] = []
    for message in module.encode([event], chosen, **given):
        found.append((message.key, message.value))
        found += [repr(one) for one in module.decode(message.value, message.key, chosen, **given)]
    return found


def written() -> Iterator[str]:
    """Numbers of columns, and of events, in every protocol, there and back."""
    for name, info in tidewire.protocols().items():
        module: Any = info.load()
        given: dict[str, Any] = {} if module.FACTS.registry is None else {"schemas": MemorySchemas()}
        options = {one.name for one in module.OPTIONS}
        chosen = module.Options.from_strings(
            {one: "true" for one in ("enable-tidb-extension", "avro-enable-watermark") if one in options}
        )
        for number in [*AT_THE_ENDS, 2**63, 2**64 - 1, 2**64, -(2**63) - 1]:
            events: dict[str, Any] = {
                f"{kind.name} {flags}": change(kind, number, declared, flags)
                for kind, declared in (
                    (ColumnType.BIGINT, "bigint"),
                    (ColumnType.BIT, "bit(64)"),
                    (ColumnType.SET, "set('a')"),
                )
                for flags in (64, 64 | 128)
            }
            events["watermark"] = Watermark(number, sent_ms=1)
            for attribute in ("commit_ts", "sent_ms", "table_id", "row_id", "start_ts", "table_version"):
                one = change(ColumnType.INT, 1, "int")
                setattr(one, attribute, number)
                events[attribute] = one
            for what, event in events.items():
                yield f"{name} {what} {number}: {said(partial(there_and_back, module, event, chosen, given))}"


if __name__ == "__main__":
    show([*read_as_connect(), *written()])
