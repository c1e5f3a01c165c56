"""Detection of records with registered schemas, with and without the registry, and by decoders of other protocols."""

from __future__ import annotations

import pickle
import uuid
from pathlib import Path
from typing import Any

import pytest
import recorded
from commands import tidewire as command

import tidewire
from avro import avro_streams, recordings
from tidewire import avro, canal_json, craft
from tidewire.messages.detecting.signs import LIKELY_IDS
from tidewire.runtime.errors import DecodeError
from tidewire.runtime.registered.errors import MissingSchemaError

RECORD = b"\x02\x04hi"
FIXED = ("schema-registry", "time-zone", "topic")
REMEDY = "set schema-registry to the URL of the registry, or to the path of a file with its schemas"
NEEDED = "the messages are avro, and need the schemas of a registry: -o schema-registry=URL, or the path of a file"


def known(stream: Path) -> dict[str, str]:
    return {"schema-registry": avro_streams.registry(stream)}


@pytest.mark.once
@pytest.mark.codec
@pytest.mark.parametrize("option_set", ["default", "string", "tidb-extension", "watermark", "checksum"])
def test_with_the_schemas_protocol_producer_and_options_are_told(option_set: str) -> None:
    looked = told = 0
    for stream in [one for one in recordings.STREAMS if recorded.option_set(one) == option_set][::4]:
        values, keys = avro_streams.values_and_keys(stream)
        if not any(values):
            continue
        found = tidewire.detect(values, keys, known=known(stream))
        assert (found.protocol, found.certainty) == ("avro", "sure"), (stream, found)
        looked += 1
        if not found.producers:
            continue
        told += 1
        head = recorded.header(stream)
        assert head["producer"] in found.producers, (stream, found)
        given = recordings.options_of(stream)
        for option in avro.OPTIONS:
            value = found.options.get(option.name)
            if value is not None and option.name not in FIXED:
                assert value == str(given.value(option.name)).lower(), (stream, found)
    assert looked
    assert 2 * told >= looked


def test_without_the_schemas_it_is_likely_and_says_what_to_set() -> None:
    stream = avro_streams.stream("json", "default")
    values, keys = avro_streams.values_and_keys(stream)
    for given in ((values, keys), (values, None)):
        found = tidewire.detect(*given)
        assert (found.protocol, found.certainty, found.read) == ("avro", "likely", 0)
        assert found.evidence[0] == (
            f"{found.looked_at} of {found.looked_at} messages look like avro or debezium-avro, and their schemas "
            f"cannot be had: {REMEDY}"
        )
        assert not [text for text in found.evidence[1:] if "avro" in text]
    other = avro_streams.registry(avro_streams.stream("bits", "default"))
    found = tidewire.detect([b"\x00\x00\x00\x27\x0f" + RECORD], known={"schema-registry": other})
    assert (found.protocol, found.certainty) == ("avro", "likely")
    assert "schema 9999 cannot be had" in found.evidence[0]
    assert "the file has no such schema" in found.evidence[0]


def test_marks_are_read_without_schemas_and_rows_beside_them_are_not_forgotten() -> None:
    values, keys = avro_streams.values_and_keys(avro_streams.stream("generated", "watermark"))
    found = tidewire.detect(values, keys)
    assert (found.protocol, found.certainty) == ("avro", "likely")
    assert 0 < found.read < found.looked_at
    assert REMEDY in " ".join(found.evidence)
    marks = [value for value in values if value is not None and value[0] in (1, 2)]
    assert tidewire.detect(marks).sure
    assert tidewire.detect([b"\x02" + (7 << 40).to_bytes(8, "big")]).protocol == "avro"


@pytest.mark.parametrize(
    ("value", "key"),
    [
        (b"\x00\x00\x00\x00\x00" + RECORD, None),
        (b"\x00" + LIKELY_IDS.to_bytes(4, "big") + RECORD, None),
        (b"\x00\x00\x00\x01", None),
        (b"\x00\x00\x00\x00\x01" + RECORD, b"{}"),
        (b"\x03\x00" + bytes(8), None),
        (b"\x03\x01" + bytes(16) + RECORD, None),
        (b"\x01[]", None),
    ],
)
def test_what_does_not_begin_so_is_none_of_it(value: bytes, key: bytes | None) -> None:
    assert tidewire.detect([value] * 3, [key] * 3).protocol is None


@pytest.mark.parametrize(
    "value",
    [
        b"\x00\x00\x00\x00\x07" + RECORD,
        b"\x03\x00" + uuid.uuid4().bytes + RECORD,
        b'\x01{"query":"create table t (id int)","type":3,"schema":"s","table":"t","commitTs":7}',
        b"\x02" + (7 << 40).to_bytes(8, "big"),
    ],
    ids=["number", "uuid", "statement", "watermark"],
)
def test_other_protocols_say_that_it_looks_like_it(value: bytes) -> None:
    for module in (craft, canal_json):
        errors = module.decode_batch([value] * 3).errors
        assert [error.looks_like for error in errors] == ["avro"] * 3
        with pytest.raises(DecodeError, match="it looks like avro"):
            module.decode(value)
    with_keys: Any = tidewire.protocols()["open-protocol"].load()
    assert with_keys.decode_batch([value], [b"\x00\x00\x00\x00\x07" + RECORD]).errors[0].looks_like == "avro"


def test_records_that_another_protocol_reads_are_called_that() -> None:
    other: Any = tidewire.protocols()["open-protocol"].load()
    stream = recorded.streams("open-protocol", own=False)[0]
    sent = list(recorded.messages(stream))
    values, keys = [one.value for one in sent], [one.key for one in sent]
    assert other.decode_batch(values, keys).errors == []
    errors = avro.decode_batch(values, keys).errors
    assert errors
    assert {error.looks_like for error in errors} == {"open-protocol"}
    assert {type(error) for error in errors} == {MissingSchemaError}
    assert "it looks like open-protocol" in str(errors[0])
    assert pickle.loads(pickle.dumps(errors[0])).looks_like == "open-protocol"


# --- the commands -----------------------------------------------------------------------------------------------------


def test_the_commands_take_where_the_schemas_are() -> None:
    stream = avro_streams.stream("json", "watermark")
    given = ("-o", f"schema-registry={avro_streams.registry(stream)}")
    result = command("detect", stream, *given)
    assert result.exit_code == 0
    assert result.stdout.startswith("avro, sure")
    assert command("detect", stream).exit_code == 1
    decoded = command("decode", stream, *given)
    assert decoded.exit_code == 0
    assert len(decoded.stdout.splitlines()) == 31, "deleted rows are events, too"
    unsure = command("decode", stream)
    assert unsure.exit_code == 2
    assert NEEDED in unsure.stderr.splitlines()[0]
    wrong = command("detect", stream, "-o", "topics=x")
    assert wrong.exit_code == 2
    assert "-o topics: no protocol has such an option; did you mean topic?" in wrong.stderr
