"""Whose messages these are: protocol, compression, batching, producer and options, and how sure that is."""

from __future__ import annotations

import base64
import gzip
import json
import os
import pickle
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from manual.pages import manual, said
from recorded import craft_messages

import tidewire
from tidewire import canal_json, craft
from tidewire.messages.delivery.compression import compress
from tidewire.messages.delivery.items import Packing
from tidewire.messages.detecting.reading import (
    MOST_BYTES,
    MOST_MESSAGES,
    MOST_UNPACKED,
    Reading,
    sample,
    terminator,
    unpacked,
)
from tidewire.messages.detecting.reencode_check import _candidates
from tidewire.messages.detecting.signs import Signs, members
from tidewire.messages.options import CodecOptions, OptionSpec
from tidewire.messages.protocols import ProtocolInfo, Protocols

ROOT = Path(__file__).parent
RECORDED = ROOT / "recorded"


@cache
def capture(name: str) -> list[bytes]:
    """The values of the shipped capture in a protocol."""
    with gzip.open(ROOT.parent / "examples" / f"{name}_topic.jsonl.gz") as lines:
        return [base64.b64decode(json.loads(line)["value"]) for line in lines]


def streams(protocol: str, most: int) -> Iterator[tuple[dict[str, Any], list[bytes | None]]]:
    """Some recorded streams of a protocol: header, and values of messages."""
    with tarfile.open(RECORDED / f"{protocol}.tar.xz") as archive:
        names = [one for one in archive.getnames() if one.rpartition("/")[2].startswith(f"{protocol}.")]
        for name in [one for one in sorted(names) if one.endswith(".jsonl")][:: max(1, len(names) // most)]:
            file = archive.extractfile(name)
            assert file is not None
            header, *lines = [json.loads(line) for line in file]
            values = [line["value"] for line in lines if "error" not in line]
            yield header, [None if value is None else base64.b64decode(value) for value in values]


@pytest.mark.codec
@pytest.mark.parametrize("name", ["craft", "canal-json"])
def test_the_protocol_of_recorded_streams_is_sure_and_so_are_its_options(name: str) -> None:
    for header, values in streams(name, 12):
        if not any(values):
            continue
        found = tidewire.detect(values)
        assert (found.protocol, found.certainty) == (name, "sure"), (header, found)
        assert header["producer"] in found.producers, (header, found)
        given = {key: str(value).lower() for key, value in header["options"].items()}
        if given.get("content-compatible") == "true":
            given["only-output-updated-columns"] = "true"
        for option, value in found.options.items():
            assert given.get(option, "false") == value or option == "terminator", (header, option, found)


def test_of_messages_of_none_it_is_said_what_they_were_held_against() -> None:
    craft = ProtocolInfo("craft", "Craft", ("tiflow",), "tidewire.craft", import_module)
    known = Protocols((craft,), tidewire.event_facts)
    found = known.detect([b"\xff\xff\x00"])
    assert (found.protocol, found.certainty) == (None, "unknown")
    assert found.evidence[0] == "they look like none of craft"


@pytest.mark.codec
@pytest.mark.parametrize(
    "options",
    [
        {"enable-tidb-extension": "true"},
        {"content-compatible": "true"},
        {"only-output-updated-columns": "true", "enable-tidb-extension": "true"},
        {"delete-only-output-handle-key-columns": "true"},
        {"output-row-key": "true", "enable-tidb-extension": "true", "producer": "ticdc"},
        {"large-message-handle-compression": "lz4"},
        {"large-message-handle-compression": "snappy", "enable-tidb-extension": "true"},
        {"terminator": "\r\n"},
        {"terminator": "|}|", "enable-tidb-extension": "true"},
        {"large-message-handle-option": "handle-key-only", "enable-tidb-extension": "true", "max-message-bytes": "420"},
    ],
    ids=lambda options: "+".join(options),
)
def test_what_was_written_with_options_tells_them(options: dict[str, str]) -> None:
    columns = canal_json.decode_batch(capture("canal_json")).columns
    chosen = canal_json.Options.from_strings(options)
    encoder = canal_json.Encoder(chosen)
    rows = []
    for start in range(columns.num_events if not chosen.terminator else 1):
        part = columns.events[start : start + 1] if not chosen.terminator else columns.events
        try:
            rows += encoder.encode(type(columns)(part, columns.tables, columns.layouts)).column("value").to_pylist()
        except tidewire.runtime.errors.EncodeError:
            continue  # too long even when it is cut down
    found = tidewire.detect(rows)
    assert (found.protocol, found.certainty) == ("canal-json", "sure"), found
    told = {name: value for name, value in options.items() if name not in ("producer", "max-message-bytes")}
    if "output-row-key" in told:
        told = {name: value for name, value in found.options.items() if name in told}  # these rows have no such key
    assert found.options.items() >= told.items(), found
    assert found.reading.items() <= options.items()
    assert len(canal_json.decode_batch(rows, options=canal_json.Options.from_strings(found.reading)).errors) == 0


def test_messages_of_another_program() -> None:
    value = capture("canal_json")[5].replace(b'"id":0', b'"id":7,"gtid":"x:1"')
    found = tidewire.detect([value])
    assert (found.protocol, found.sure, found.producers) == ("canal-json", True, ())
    assert "they are not TiCDC's own" in " ".join(found.evidence)
    assert "It does not matter for reading them" in " ".join(found.evidence)


def test_batching_is_told() -> None:
    messages = [m.value for m in craft_messages("wide", "default")]
    found = tidewire.detect(messages)
    assert found.events == sum(len(craft.decode(one)) for one in messages)
    assert found.most_events == max(len(craft.decode(one)) for one in messages)


def test_what_is_given_may_be_an_array_or_one_message() -> None:
    values: list[bytes | None] = [*capture("craft"), None]
    for given in (values, pa.array(values), pa.chunked_array([pa.array(values)]), values[0]):
        assert tidewire.detect(given).protocol == "craft"
    assert tidewire.detect(values).empty == 1
    assert tidewire.detect(values, [None] * len(values)).sure
    with pytest.raises(TypeError, match="a message is bytes or None, not str; text has to be encoded first"):
        tidewire.detect(["{}"])


@pytest.mark.parametrize("values", [[], [None], [b""], [None, b""]])
def test_nothing_tells_nothing(values: list[bytes | None]) -> None:
    found = tidewire.detect(values)
    assert (found.protocol, found.certainty, found.read) == (None, "unknown", 0)
    assert found.evidence == (("no message has a value",) if values else ("there is no message",))


def test_mixtures_are_not_sure() -> None:
    mixed = [*capture("craft")[:60], *capture("canal_json")[:40]]
    found = tidewire.detect(mixed)
    assert (found.protocol, found.certainty) == ("craft", "likely")
    assert {name: count for name, count in found.candidates.items() if count} == {"canal-json": 40, "craft": 60}
    assert found.evidence[:2] == ("60 of 100 messages can be read as craft", "40 as canal-json")
    mostly_bad = [capture("craft")[0], *[b"x"] * 9]
    assert tidewire.detect(mostly_bad).certainty == "likely"
    half_bad = [*capture("craft")[:5], *[b"x"] * 5]
    assert tidewire.detect(half_bad).certainty == "sure"


def test_messages_that_are_cut_off_are_known_by_their_members() -> None:
    found = tidewire.detect([value[: len(value) // 2] for value in capture("canal_json")])
    assert (found.protocol, found.certainty, found.read) == ("canal-json", "likely", 0)
    assert "members id, database, table" in found.evidence[0]
    cut = tidewire.detect([value[:-3] for value in capture("craft")])
    assert cut.certainty == "unknown"
    assert "103 of 103 look like craft in this: begins with 01" in cut.evidence


@pytest.mark.parametrize(
    "value",
    [
        b"[" * 200_000,
        b'{"a":' * 100_000,
        b'{"id":0,"database":"' + b"\\" * 100_001,
        b"\x01" + b"\xff" * 100_000,
        b"\x04\x22\x4d\x18" + bytes(1000),
        b"\xff\xff\xff\xff\x0f" + bytes(50),
        compress("lz4", bytes(64 << 20)),
        compress("snappy", b"{" + bytes(16 << 20)),
        bytes(range(256)) * 100,
        b"{}" * 1000,
        b'{"id":0}' + b"\r\n" * 5000 + b'{"id":1}',
        b"null",
        b"0",
    ],
    ids=range(13),
)
def test_hostile_messages_are_nobodys(value: bytes) -> None:
    assert tidewire.detect([value] * 3).protocol is None


def test_of_many_messages_some_are_looked_at() -> None:
    many = [capture("craft")[0]] * 5000
    given = sample(many, None)
    assert (len(given.values), given.messages) == (MOST_MESSAGES, 5000)
    assert len(sample([bytes(1) * MOST_BYTES] * 3, None).values) == 1
    assert len(sample([bytes(1) * (MOST_BYTES // 2)] * 3, None).values) == 2
    assert tidewire.detect(many).looked_at == MOST_MESSAGES
    at_most = f"{MOST_MESSAGES} messages and {MOST_BYTES >> 20} MiB of them at most"
    assert f"{at_most} (of one message whatever its size), {MOST_UNPACKED >> 20} MiB unpacked" in said(manual("python"))
    bombs = unpacked(Packing("lz4"), [compress("lz4", bytes(20 << 20))] * 3)
    assert bombs is not None
    assert [one is not None for one in bombs] == [True, False, False]


@pytest.mark.parametrize(
    ("value", "end"),
    [
        (b'{"a":1}', ""),
        (b'{"a":1}\r\n', "\r\n"),
        (b'{"a":1}||{"a":2}||', "||"),
        (b'{"a":"}"}#', "#"),
        (b'{"a":1}' + b"#" * 100, ""),
        (b"[1]#", ""),
        (b'{"a"', ""),
    ],
)
def test_terminators(value: bytes, end: str) -> None:
    assert terminator(value) == end


def test_members_of_what_is_cut_off() -> None:
    assert list(members(b' {"a":1,"b\\"":{"c":2},"d":["e",{"f":1}],"g')) == [b"a", b'b\\"', b"d"]
    assert list(members(b'["a"]')) == []
    signs = Signs(members=("a", "b", "c", "d", "e"))
    assert signs.seen(b'{"a":1,"b":2,"c":3,"d":4,"x":5') is not None
    assert signs.seen(b'{"a":1,"b":2,"c":3,"d":4,"x":5,"y":6') is None
    assert signs.seen(b'{"a":1,"b":2,"c":3') is None


# --- the wrong protocol -----------------------------------------------------------------------------------------------


@pytest.mark.codec
def test_every_part_of_a_batch_is_called_what_it_looks_like(tmp_path: Path) -> None:
    options = canal_json.Options(claim_check=str(tmp_path))
    parts = list(canal_json.Decoder(options).parts([None, *[capture("craft")[0]] * 1500]))
    assert [len(part.errors) for part in parts] == [1023, 477]
    assert {error.looks_like for part in parts for error in part.errors} == {"craft"}
    assert [error.message for part in parts for error in part.errors] == [*range(1, 1501)]


def test_where_nothing_can_be_read_the_errors_say_what_it_looks_like() -> None:
    for module, other, name in ((craft, "canal_json", "canal-json"), (canal_json, "craft", "craft")):
        errors = module.decode_batch(capture(other)).errors
        assert len(errors) == len(capture(other))
        assert all(error.looks_like == name and str(error).endswith(f"; it looks like {name}") for error in errors)
        assert pickle.loads(pickle.dumps(errors[0])).looks_like == name
        with pytest.raises(tidewire.runtime.errors.DecodeError, match=f"it looks like {name}"):
            module.decode(capture(other)[0])


def test_packed_messages_of_another_protocol_are_known() -> None:
    packed = [compress("lz4", value) for value in capture("canal_json")]
    assert craft.decode_batch(packed).errors[0].looks_like == "canal-json"


def test_one_message_that_can_be_read_is_reason_enough_to_say_nothing() -> None:
    errors = craft.decode_batch([capture("craft")[0], *capture("canal_json")]).errors
    assert {error.looks_like for error in errors} == {None}
    assert {error.looks_like for error in craft.decode_batch([b"x", os.urandom(50), b"{}"]).errors} == {None}
    assert craft.decode_batch([None, *capture("canal_json")]).errors[0].looks_like == "canal-json"


def test_options_of_one_producer_are_not_tried_with_another() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Options(CodecOptions):
        PROTOCOL = "p"
        SPECS = (
            OptionSpec("most", "int", 1, "Most.", range=(1, 9)),
            OptionSpec("longest", "int", 1, "Longest.", range=(1, 7), producers=("new",)),
            OptionSpec("producer", "choice", "old", "Whose.", choices=("old", "new")),
        )
        most: int = 1
        longest: int = 1
        producer: str = "old"

    facts = SimpleNamespace(producers=("old", "new"), registry=None)
    module = SimpleNamespace(OPTIONS=Options.SPECS, FACTS=facts, Options=Options)
    found = _candidates(module, Reading(module))
    assert [(one.producer, one.most, one.longest) for one in found] == [("old", 9, 1), ("new", 9, 7)]
