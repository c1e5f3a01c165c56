"""File formats of messages: what a line of each format holds, and how a format is recognized."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from tidewire.reading.files.jsontext import parse_object, shown
from tidewire.reading.files.streams import TOO_LONG, too_long

HEX_DIGITS = frozenset(b"0123456789abcdefABCDEFxX: \t\r\n")
BEHIND_KEY = ":"
"""Separator of key and value in hex."""
LOOKED_AT = 64
"""Most lines that are examined to recognize a format."""
RECORD = ("topic", "partition", "offset", "timestamp")
"""Kafka metadata of a message, under the names that the output uses."""
_ENVELOPE = "a line is a JSON object with value or payload, and maybe key, topic, partition, offset, timestamp"
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")
# Kafka metadata that kafka-console-consumer prints on request before key and value, separated by tabs.
_PRINTED = re.compile(
    rb"(?:(?:CreateTime|LogAppendTime):(?P<timestamp>-?\d+)\t|NO_TIMESTAMP\t|Partition:(?P<partition>\d+)\t"
    rb"|Offset:(?P<offset>\d+)\t|NO_HEADERS\t)*"
)
_ESCAPE = re.compile(rb"\\x([0-9A-F]{2})")
_ESCAPED = re.compile(rb"(?:[\t -\[\]-~]|\\x[0-9A-F]{2})*")
_HEADERS = re.compile(rb"[^\t{]*:[^\t{]*\t")
_BEFORE_VALUE = re.compile(rb"\t(?=\{|null$)")
ARRAY = re.compile(rb"\s*\[\s*(?:\{|null|\]|$)")
"""How a JSON array of messages begins."""
NULL = b"null"
"""Stands for a missing key or value."""


class Format(StrEnum):
    """A file format of messages."""

    auto = "auto"
    recorded = "recorded"
    jsonl = "jsonl"
    lines = "lines"
    hex = "hex"
    pairs = "pairs"
    array = "array"
    escaped = "escaped"
    parquet = "parquet"
    arrow = "arrow"
    raw = "raw"


class Input(NamedTuple):
    """A message, or a line that should contain one and does not."""

    location: str
    """File and line, for people."""
    key: bytes | None
    value: bytes | None
    """None: no value (a tombstone)."""
    problem: str | None = None
    """Why the line contains no message; None if it does."""
    record: Mapping[str, Any] | None = None
    """Kafka metadata of the message, as far as the file has it, under the names in `RECORD`."""


def tell(lines: Sequence[bytes]) -> Format:
    """The format of a file that begins with these lines, or consists of them; raw if no other format matches. A single
    truncated or damaged line does not decide, unless it is the only one.
    """
    filled = [line.strip() for line in lines if line.strip()][:LOOKED_AT]
    if not filled or (_CONTROL.search(filled[0]) and not filled[0].startswith(b"{")):
        return Format.raw
    if ARRAY.match(filled[0]):
        return Format.array
    kinds = [_kind(line) for line in filled]
    if kinds[0] is Format.recorded:
        return Format.recorded
    for kind in (Format.escaped, Format.jsonl, Format.lines, Format.hex):
        if kind in kinds:
            return kind
    return Format.raw


def _kind(line: bytes) -> Format:
    """The format that a single line looks like."""
    if _ESCAPE.search(line) and _ESCAPED.fullmatch(line):
        return Format.escaped
    if line.startswith(b"{") and line.endswith(b"}"):
        try:
            found = parse_object(line, "")
        except ValueError:
            return Format.lines
        if _is_envelope(found):
            return Format.jsonl
        return Format.recorded if "protocol" in found else Format.lines
    if line == NULL or (line.endswith((b"}", NULL)) and _BEFORE_VALUE.search(line)):
        return Format.lines
    return Format.hex if HEX_DIGITS.issuperset(line) and _is_hex(line) else Format.raw


def _is_hex(line: bytes) -> bool:
    try:
        return any(unhex_message(line.decode("ascii")))
    except ValueError:
        return False


def _is_envelope(found: Mapping[str, Any]) -> bool:
    """Whether a JSON object wraps a message, rather than being a message itself."""
    if "value" in found or "key" in found:
        return True
    payload = found.get("payload", 0)
    return payload is None or isinstance(payload, str) or ("payload" in found and "offset" in found)


def parse(form: Format, location: str, line: bytes) -> Input | None:
    """The message in a line; None for lines without one, such as a header. Lines that cannot be read give a problem."""
    try:
        if line is TOO_LONG:
            raise ValueError(too_long())
        if form is Format.hex:
            return Input(location, *unhex_message(line.decode("ascii", "replace")))
        if form is Format.lines:
            return _printed(location, line.rstrip(b"\r"))
        if form is Format.escaped:
            return _escaped(location, line.rstrip(b"\r"))
        if form is Format.array:
            return _element(location, line)
        found = parse_object(line, _ENVELOPE)
        if form is Format.recorded and "value" not in found:
            return None  # the header, or an event that the producer refused
        return _enveloped(location, found)
    except (ValueError, RecursionError) as error:
        return Input(location, None, None, str(error))


def _printed(location: str, line: bytes) -> Input:
    """A raw message, or one that Kafka's console consumer printed; null is a tombstone."""
    before = _PRINTED.match(line)
    assert before is not None, "it may be empty"
    record = {name: int(before[name]) for name in ("partition", "offset", "timestamp") if before[name] is not None}
    key, value = _key_and_value(line[before.end() :])
    return Input(location, None if key == NULL else key, None if value == NULL else value, None, record or None)


def _escaped(location: str, line: bytes) -> Input:
    """A message printed by Kafka's class Bytes: key, tab and value, or the value alone."""
    if not _ESCAPED.fullmatch(line):
        raise ValueError("bytes are characters of ASCII, or such as \\x00 in two digits; something else is here")
    before = _PRINTED.match(line)
    assert before is not None, "it may be empty"
    record = {name: int(before[name]) for name in ("partition", "offset", "timestamp") if before[name] is not None}
    *keys, value = line[before.end() :].split(b"\t")
    if len(keys) > 1:
        raise ValueError("a key, a tab and a value are expected, and there are more tabs")
    parts = [None if one == NULL else _ESCAPE.sub(_byte, one) for one in (*(keys or [NULL]), value)]
    return Input(location, parts[0], parts[1], None, record or None)


def _byte(found: re.Match[bytes]) -> bytes:
    return bytes.fromhex(found[1].decode())


def _element(location: str, text: bytes) -> Input:
    """An element of a JSON array: a wrapped message, or a message that is JSON itself; null is a tombstone."""
    if text == NULL:
        return Input(location, None, None)
    found = parse_object(text, "an element of the array is a JSON object, around a message or a message itself")
    return _enveloped(location, found) if _is_envelope(found) else Input(location, None, text)


def _key_and_value(text: bytes) -> tuple[bytes | None, bytes]:
    """Splits a line at the tab between key and value; the key is None if there is none, and null stands for a missing
    one. Both may contain tabs (values as white space in JSON), so the split is where the rest is a complete JSON value.
    """
    places = [found.end() for found in _BEFORE_VALUE.finditer(text)] if b"\t" in text else []
    start = next((place for place in (places[-1], places[0]) if _is_whole(text[place:])), None) if places else None
    if start is None and text.endswith(b"\t") and (not places or _is_whole(text)):
        text += NULL
        start = len(text) - len(NULL)
    if not places and start is None:
        return None, text
    if start is None:  # no key, and tabs in the value; or a damaged value, for which the decoder reports the position
        start = places[0]
        if text.startswith(b"{") and not _is_whole(text[: start - 1]):
            return None, text
    key = text[: start - 1]
    headers = _HEADERS.match(key)
    return key if headers is None else key[headers.end() :], text[start:]


def _is_whole(text: bytes) -> bool:
    """Whether the text is one complete JSON value."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def is_whole(form: Format, message: Input, line: bytes) -> bool:
    """Whether a line is complete, as far as its format tells."""
    if message.problem is not None:
        return form in (Format.jsonl, Format.recorded) and _is_whole(line)
    return form is not Format.lines or message.value is None or _is_whole(message.value)


def _enveloped(location: str, found: Mapping[str, Any]) -> Input:
    if "value" not in found and "payload" not in found:
        raise ValueError(f"{_ENVELOPE}; the value of a tombstone is null")
    member = "value" if "value" in found else "payload"
    value, text = _bytes(found, member)
    key = found.get("key")
    if isinstance(key, str) and (text or member == "payload"):
        own_key: bytes | None = key.encode()  # keys of text values are text
    else:
        own_key, _ = _bytes(found, "key")
    record = {name: found[name] for name in RECORD if found.get(name) is not None}
    if member == "payload" and "timestamp" not in record and isinstance(found.get("ts"), int):
        record["timestamp"] = found["ts"]
    return Input(location, own_key, value, None, record or None)


def _bytes(found: Mapping[str, Any], member: str) -> tuple[bytes | None, bool]:
    """The bytes of a member, and whether they are JSON text rather than base64."""
    held = found.get(member)
    if held is None:
        return None, False
    if isinstance(held, dict) and member != "key":
        return json.dumps(held, ensure_ascii=False, separators=(",", ":")).encode(), True
    if not isinstance(held, str):
        raise ValueError(f"{member} is base64, JSON text or null, not {shown(held)}")
    if held.lstrip().startswith("{"):
        return held.encode(), True
    try:
        return base64.b64decode(held, validate=True), False
    except (binascii.Error, ValueError) as error:
        spoils = " (kcat -J spoils messages that are no text)" if member == "payload" else ""
        raise ValueError(f"{member} is not base64: {error}; nor is it JSON text{spoils}") from None


def unhex_message(text: str) -> tuple[bytes | None, bytes]:
    """Key and value of a message in hex, separated by a colon, or the value alone.

    Raises:
        ValueError: as in `unhex`.
    """
    key, colon, value = text.partition(BEHIND_KEY)
    return (unhex(key), unhex(value)) if colon else (None, unhex(text))


def unhex(text: str) -> bytes:
    """Bytes from hex digits; white space, and 0x before a group of digits, are ignored.

    Raises:
        ValueError: there are other characters, an odd number of digits, or none after 0x.
    """
    digits = re.sub(r"(?:^|(?<=\s))0[xX]", "", text.strip())
    try:
        found = bytes.fromhex(digits)
    except ValueError as error:
        raise ValueError(f"not hex digits: {error}") from None
    if not found and text.strip():
        raise ValueError("not hex digits: there are none")
    return found
