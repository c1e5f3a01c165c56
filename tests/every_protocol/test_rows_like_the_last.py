"""The fast path for messages like the previous one does not affect results."""

from __future__ import annotations

import json
import math
import random
import re
import struct
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from functools import cache
from types import ModuleType
from typing import Any

import pytest

from tidewire import canal_json, debezium, runtime, simple
from tidewire.events import Events, RowChange
from tidewire.tables import TableStore

pytestmark = pytest.mark.codec

SQL = """CREATE TABLE s.t (id INT PRIMARY KEY, big BIGINT UNSIGNED, d DOUBLE, f FLOAT, name VARCHAR(99),
a_column_of_a_long_name BIGINT, raw VARBINARY(9), at DATETIME(3), day DATE,
amount DECIMAL(12,2), stamp TIMESTAMP, e ENUM('x','y'), j JSON)"""
ROW: dict[str, Any] = {
    "id": -5,
    "big": (1 << 64) - 1,
    "d": 0.1234567890123456,
    "f": 1.5,
    "name": 'naïve "quoted" text',
    "a_column_of_a_long_name": 1234567890123456789,
    "raw": b"\x00\xff",
    "at": "2026-01-02 03:04:05.678",
    "day": "2026-01-02",
    "amount": "1.25",
    "stamp": "2026-01-02 03:04:05",
    "e": 2,
    "j": '{"a": [1, "x"]}',
}
OPTIONS: dict[ModuleType, dict[str, Any]] = {
    simple: {},
    debezium: {"debezium_disable_schema": True},
    canal_json: {"enable_tidb_extension": True},
}
MODULES = list(OPTIONS)


def names(module: ModuleType) -> str:
    return module.__name__.rpartition(".")[2]


@cache
def store() -> TableStore:
    """The description of the table."""
    found = TableStore()
    found.add_sql(SQL, version=7)
    return found


def decoder(module: ModuleType) -> Any:
    """One that has read nothing."""
    return module.Decoder(module.Options(**OPTIONS[module]), **({"tables": store()} if module.FACTS.described else {}))


def written(module: ModuleType, old: dict[str, Any] | None, new: dict[str, Any] | None, ts: int = 1) -> bytes:
    """A message of one row."""
    table = store().find("s", "t", 7)
    kind = "insert" if old is None else "delete" if new is None else "update"
    change = RowChange(kind, 470607709161390080 + ts, "s", "t", new, old, columns=table.row_columns(), table_version=7)
    (message,) = module.encode([change], module.Options(**OPTIONS[module]))
    assert message.value is not None
    return bytes(message.value)


def outcome(columns: Any, message: int) -> Any:
    """What became of a message of a batch: its error, or its event."""
    for error in columns.errors:
        if error.message == message:
            return error.code, error.field, error.offset, str(error).replace(f"message {message}", "message 0")
    numbers = columns.events.column("message").to_pylist()
    fields = (*RowChange.POSITIONAL, *RowChange.NAMED)
    found: list[Any] = [event for number, event in zip(numbers, Events(columns), strict=True) if number == message]
    return [repr([getattr(one, name) for name in fields if name not in ("new", "old")]) for one in found], [
        None if image is None else repr(image.to_dict()) for one in found for image in (one.new, one.old)
    ]


def behind(module: ModuleType, before: bytes, message: bytes) -> Any:
    """What becomes of a message behind three that are alike; those stay what they are behind it."""
    columns = decoder(module).decode([before, before, before, message, before])
    assert outcome(columns, 0) == outcome(columns, 2) == outcome(columns, 4)
    return outcome(columns, 3)


def alone(module: ModuleType, message: bytes) -> Any:
    """What becomes of it when it is the first one."""
    return outcome(decoder(module).decode([message]), 0)


def tampered(message: bytes) -> Iterator[bytes]:
    """Other messages, most of them wrong."""
    chance = random.Random(5)
    yield from (message[:end] for end in range(0, len(message), 2 if runtime.compiled else 7))
    for byte in b' "\\,:}]0x\x00\xff':
        for at in chance.sample(range(len(message)), 12 if runtime.compiled else 4):
            yield message[:at] + bytes([byte]) + message[at:]
            yield message[:at] + bytes([byte]) + message[at + 1 :]
    for old, new in (
        (b":", b" : "),
        (b",", b"\n,\t"),
        (b'"id"', b'"i\\u0064"'),
        (b'"id"', b'"ID"'),
        (b'"id":', b'"id":0'),
        (b'"day"', b'"id"'),
        (b"null", b"nul"),
        (b"null", b'"null"'),
        (b'"d":', b'"d":-'),
        (b'"big":', b'"big":-'),
        (b"1.5", b"1.5e99"),
        (b"1.5", b"1.5e999"),
        (b"1.5", b"01.5"),
        (b"1.5", b"1."),
        (b"1.5", b"16777217.000000001"),
        (b"18446744073709551615", b"18446744073709551616"),
        (b"18446744073709551615", b"9223372036854775808"),
        (b"1234567890123456789", b"9223372036854775807"),
        (b"1234567890123456789", b"9223372036854775808"),
        (b"1234567890123456789", b"-9223372036854775808"),
        (b"1234567890123456789", b"-9223372036854775809"),
        (b"1234567890123456789", b"12345678901234567890"),
    ):
        yield message.replace(old, new)
    for name in (b"type", b"commitTs", b"checksum", b"handleKeyOnly", b"tableSchema", b"op", b"ts_ms", b"source", b"x"):
        for value in (
            b"null",
            b"5",
            b"true",
            b"{}",
            b'"c"',
            b'{"version":0,"corrupted":false,"current":1,"previous":2}',
        ):
            for at in (-1, -2):
                yield message[:at] + b',"' + name + b'":' + value + message[at:]
    for old, new in (
        (b'"commitTs":4', b'"commitTs":-4'),
        (b'"commit_ts":4', b'"commit_ts":04'),
        (b'"ts_ms":1', b'"ts_ms":'),
    ):
        yield message.replace(old, new)
    for size in range(21):
        yield re.sub(
            rb'"(commitTs|commit_ts|buildTs|ts_ms|tableID|schemaVersion)":\d+', b'"\\1":' + b"9" * size, message
        )
    yield message + b" "
    yield message + message


@pytest.mark.parametrize("module", MODULES, ids=names)
@pytest.mark.parametrize("kind", ["insert", "update", "delete"])
def test_what_is_wrong_is_told_alike(module: ModuleType, kind: str) -> None:
    new = None if kind == "delete" else ROW
    old = None if kind == "insert" else {**ROW, "big": 0, "name": None, "f": -2.25}
    message = written(module, old, new)
    for other in tampered(message):
        assert behind(module, message, other) == alone(module, other), other


@pytest.mark.parametrize("module", MODULES, ids=names)
def test_what_stands_before_a_row_is_not_lost(module: ModuleType) -> None:
    message = written(module, ROW, {**ROW, "id": 7})
    text = json.loads(message)
    held = text.get("payload", text)
    orders = [
        sorted(held),
        sorted(held, reverse=True),
        *[random.Random(n).sample(sorted(held), len(held)) for n in range(20)],
    ]
    others = []
    for order in orders:
        changed = {name: held[name] for name in order}
        others.append(
            json.dumps({"payload": changed} if "payload" in text else changed, separators=(",", ":")).encode()
        )
    for other in others:
        expected = alone(module, other)
        assert behind(module, message, other) == behind(module, other, other) == expected
        assert behind(module, other, message) == alone(module, message)


@pytest.mark.parametrize("module", MODULES, ids=names)
def test_rows_may_differ(module: ModuleType) -> None:
    texts = [
        written(module, None, ROW),
        written(module, ROW, {**ROW, "id": 7}, 1 << 18),
        written(module, ROW, None),
        written(module, None, dict.fromkeys(ROW) | {"id": 1}, 10**17),
        written(module, None, {**ROW, "name": "x" * 31, "raw": b""}),
        written(module, None, {**ROW, "name": "é" * 16, "raw": b"123456789"}),
        written(module, None, {**ROW, "name": "\n" * 90}),
    ]
    for before in texts:
        for message in texts:
            assert behind(module, before, message) == alone(module, message)


@pytest.mark.parametrize("module", MODULES, ids=names)
def test_messages_that_seldom_begin_as_the_one_before(module: ModuleType) -> None:
    """More than `MOST_MISSED` and `PAUSE` of prefix_cache.py: nothing is remembered for a while, and then again."""
    kinds: list[tuple[dict[str, Any] | None, dict[str, Any] | None]] = [(None, ROW), (ROW, ROW), (ROW, None)]
    texts = [written(module, *kind, ts) for kind in kinds for ts in (1, 1 << 18, 10**17)]
    cut = [text[: len(text) // 2] for text in texts]
    expected = {text: alone(module, text) for text in (*texts, *cut)}
    chance = random.Random(3)
    alternating = [texts[k % len(texts)] for k in range(300)]
    mixed = [chance.choice((*texts, *cut)) for _ in range(600)]
    alike = [text for text in texts for _ in range(3)]
    messages = [*alike, *alternating, *alike, *mixed, *alike]
    columns = decoder(module).decode(messages)
    places = [0, *(k for k in range(len(messages)) if k % 7 == 0), len(messages) - 1]
    for k in places:
        assert outcome(columns, k) == expected[messages[k]]


def messages_of(module: ModuleType, column: str, spelled: list[str]) -> list[bytes]:
    """Messages with these texts of a number."""
    message = written(module, None, {**ROW, column: type(ROW[column])(424242)})
    marked = b"424242"
    assert message.count(marked) == 1
    return [message.replace(marked, one.encode()) for one in spelled]


def values_of(module: ModuleType, column: str, spelled: list[str]) -> list[Any]:
    """What they are read as."""
    columns = decoder(module).decode(messages_of(module, column, ["1", "1", *spelled]))
    assert not columns.errors
    return [event.new[column] for event in Events(columns) if isinstance(event, RowChange) and event.new][2:]


def numerals() -> list[str]:
    """Floats as text: random ones, and those that lie close to the middle of two."""
    chance = random.Random(7)
    found = [
        "0",
        "-0",
        "0.0",
        "-0.0",
        "1e22",
        "1e23",
        "8.5e22",
        "9007199254740993",
        "9007199254740992.5",
        "9007199254740991.5",
        "-9007199254740993.0",
        "179769313486231570000e288",
        "1.7976931348623157e308",
        "2.2250738585072014e-308",
        "2.2250738585072011e-308",
        "4.9e-324",
        "5e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "1e-400",
        "0.000001234567890123456789",
        "0.00000000000000000000000000001234567890123456789",
        "18446744073709551615",
        "18446744073709551616",
        "9999999999999999999e-10",
        "99999999999999999999e-10",
        "6929495644600919.5",
        "3.7455744005952583e15",
        "7.2057594037927933e16",
    ]
    for _ in range(3000):
        bits = chance.getrandbits(64)
        (value,) = struct.unpack("<d", struct.pack("<Q", bits))
        if math.isfinite(value):
            found += [repr(value), f"{value:.16e}", f"{value:.18e}"]
        digits = chance.randrange(1, 21)
        number = str(chance.randrange(10 ** (digits - 1), 10**digits))
        found.append(f"{number}e{chance.randrange(-99, 99)}")
        point = chance.randrange(1, digits + 1)
        found.append(number[:point] + ("." + number[point:] if number[point:] else ""))
        # the middle between a float and the next one, and what is next to it in 19 digits
        low = chance.getrandbits(53) | 1 << 52
        shift = chance.randrange(-60, 10)
        middle = Fraction(2 * low + 1, 2) * Fraction(2) ** shift
        if middle.denominator == 1 and middle < 10**19:
            found += [str(int(middle)), str(int(middle) - 1), str(int(middle) + 1)]
        scaled = f"{float(low):.0f}"
        found += [f"{scaled}.5", f"{scaled}.49", f"{scaled}.51"]
    return found


@pytest.mark.parametrize("module", MODULES, ids=names)
def test_doubles_are_the_nearest(module: ModuleType) -> None:
    spelled = numerals()
    for text, value in zip(spelled, values_of(module, "d", spelled), strict=True):
        assert struct.pack("<d", value) == struct.pack("<d", float(text)), text


def nearest_single(text: str) -> float:
    """The float of 32 bits that is nearest to a numeral, an even one in a tie."""
    exact = abs(Fraction(text))
    (bits,) = struct.unpack("<I", struct.pack("<f", float(exact)))
    near = [one for one in (bits - 1, bits, bits + 1) if 0 <= one < 0x7F800000]
    values = {one: struct.unpack("<f", struct.pack("<I", one))[0] for one in near}
    best = min(near, key=lambda one: (abs(Fraction(values[one]) - exact), one % 2))
    return -values[best] if text.startswith("-") else float(values[best])


@pytest.mark.parametrize("module", MODULES, ids=names)
def test_singles_are_the_nearest(module: ModuleType) -> None:
    chance = random.Random(9)
    spelled = [
        "16777217",
        "16777217.0000000001",
        "16777216.9999999999",
        "-0.0",
        "1e-50",
        "3.4028235e38",
        "7e-46",
        "8e-46",
    ]
    for _ in range(2000):
        (value,) = struct.unpack("<f", struct.pack("<I", chance.getrandbits(31) % 0x7F000000))
        middle = Fraction(chance.getrandbits(24) | 1 << 23) + Fraction(1, 2)
        spelled += [
            repr(value),
            f"{value:.9g}",
            f"{float(middle)}",
            f"{float(middle)}0001",
            f"{float(middle) - 1e-7:.9f}",
        ]
    for text, value in zip(spelled, values_of(module, "f", spelled), strict=True):
        assert struct.pack("<d", value) == struct.pack("<d", nearest_single(text)), text


@pytest.mark.parametrize("module", MODULES, ids=names)
def test_whole_numbers_of_every_length(module: ModuleType) -> None:
    spelled = [sign + "9876543210987654321"[:size] for size in range(1, 19) for sign in ("", "-")]
    spelled += [sign + "9" * size for size in range(1, 19) for sign in ("", "-")]
    spelled += ["9223372036854775807", "-9223372036854775808", "1000000000000000000", "-1000000000000000000", "0"]
    found = values_of(module, "a_column_of_a_long_name", spelled)
    assert found == [int(text) for text in spelled]


def plain_decimal(text: str, scale: int) -> str:
    """A JSON number in plain digits, as many behind the point as the column has, and more where there are more."""
    whole, _, digits = format(Decimal(text), "f").partition(".")
    digits = digits.rstrip("0") if len(digits) > scale else digits
    return f"{whole}.{digits.ljust(scale, '0')}"


def test_decimals_with_exponents() -> None:
    chance = random.Random(11)
    spelled = [
        "1e0",
        "1E+0",
        "-1.5e1",
        "1.50e+1",
        "1.5e+0",
        "1e-7",
        "-2.5E-07",
        "12.5e2",
        "0.5e2",
        "-0e3",
        "9e99",
        "1e+07",
    ]
    for _ in range(500):
        digits = str(chance.randrange(1, 10 ** chance.randrange(1, 20)))
        mantissa = digits[0] + ("." + digits[1:] if digits[1:] else "")
        letter, sign = chance.choice("eE"), chance.choice(("", "+", "-"))
        spelled.append(f"{chance.choice(('', '-'))}{mantissa}{letter}{sign}{chance.randrange(100)}")
    found = values_of(debezium, "amount", spelled)
    plain = [plain_decimal(text, 2) for text in spelled]
    assert found == [one.lstrip("-") if not one.strip("-0.") else one for one in plain]
