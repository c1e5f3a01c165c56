"""Checksums sent by TiCDC equal the computed ones, and a changed value is detected."""

from __future__ import annotations

import json
import pickle
import random
import warnings
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pyarrow as pa
import pytest
import recorded

from checksums.recordings import RECORDINGS, corrupted, messages, summed
from checksums.rows import VERIFYING
from tidewire import simple
from tidewire.messages.checksums.verifying import UnverifiedWarning
from tidewire.runtime.batch import EventColumns
from tidewire.runtime.errors import ChecksumError

pytestmark = pytest.mark.codec

SUMS = ("checksum", "checksum_before", "checksum_version", "checksum_corrupted")

each_recording = pytest.mark.parametrize("stream", RECORDINGS, ids=recorded.stream_name)


def without_sums(columns: EventColumns) -> EventColumns:
    """Events without their checksums."""
    kinds = columns.events.schema
    return columns.with_columns({name: pa.nulls(columns.num_events, kinds.field(name).type) for name in SUMS})


def test_there_are_rows_of_both_producers_with_checksums() -> None:
    found = {recorded.stream_name(stream).rpartition("/")[0]: len(summed(messages(stream))) for stream in RECORDINGS}
    assert {name.partition("/")[0] for name in found} == {"tiflow", "ticdc"}
    assert sum(found.values()) == 49


@each_recording
def test_every_recorded_checksum_is_that_of_its_row(stream: Path) -> None:
    values = messages(stream)
    decoder = simple.Decoder(VERIFYING)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        columns = decoder.decode(values)
    assert decoder.unverified == {}
    assert [error.message for error in columns.errors] == corrupted(values)
    for error in columns.errors:
        assert isinstance(error, ChecksumError)
        assert error.computed is None
        assert "the producer found" in str(error)
    left = columns.events.filter(columns.events.column("checksum").is_valid())
    assert left.column("message").to_pylist() == [at for at in summed(values) if at not in corrupted(values)]


@each_recording
def test_computed_checksums_are_those_that_were_recorded(stream: Path) -> None:
    values = messages(stream)
    decoder = simple.Decoder()
    columns = without_sums(decoder.decode(values))
    options = simple.Options(compute_checksum=True, producer=recorded.stream_name(stream).partition("/")[0])
    written = [value for _, value, _, _ in simple.Encoder(options, tables=decoder.tables).messages(columns)]
    versions = {json.loads(values[at])["checksum"]["version"] for at in summed(values)}
    assert versions == {2}
    for at, (found, wanted) in enumerate(zip(written, values, strict=True)):
        assert (found == wanted) == (at not in corrupted(values))


@each_recording
def test_checksums_that_events_have_stay(stream: Path) -> None:
    values = messages(stream)
    decoder = simple.Decoder()
    columns = decoder.decode(values)
    options = simple.Options(compute_checksum=True, producer=recorded.stream_name(stream).partition("/")[0])
    encoder = simple.Encoder(options, tables=decoder.tables)
    assert [value for _, value, _, _ in encoder.messages(columns)] == values


def changes(message: bytes) -> Iterator[bytes]:
    """A row's message with a value changed, for every value."""
    said = json.loads(message)
    for member in ("data", "old"):
        for name, value in said.get(member, {}).items():
            if value is None:
                other: object = "1"
            elif isinstance(value, dict):
                other = {**value, "value": another_digit(value["value"])}
            else:
                other = another_digit(value) if value.isdigit() else None
            yield json.dumps({**said, member: {**said[member], name: other}}).encode()


def another_digit(text: str) -> str:
    """The text with another digit in front."""
    return ("1" if text[0] != "1" else "2") + text[1:]


VIRTUAL = "tc_gen"
"""A table with a column that is generated and not stored, which rows have not, and descriptions do not tell apart."""


@each_recording
def test_a_changed_value_is_found(stream: Path) -> None:
    values = messages(stream)
    bad = corrupted(values)
    tried = 0
    for at in summed(values):
        if at in bad:
            continue
        decoder = simple.Decoder(VERIFYING)
        told = f'"table":"{VIRTUAL}"'.encode() in values[at]
        for changed in changes(values[at]):
            damaged = [*values[:at], changed, *values[at + 1 :]]
            with pytest.warns(UnverifiedWarning) if told and not decoder.unverified else nullcontext():
                found = decoder.decode(damaged)
            wrong = bad if told else sorted([at, *bad])
            assert [error.message for error in found.errors] == wrong, changed
            assert found.num_events == len(values) - len(wrong)
            tried += 1
        if told:
            assert list(decoder.unverified) == [
                "the row has no `b`, which may be generated columns, or columns that were left out"
            ]
    assert tried >= 2 * (len(summed(values)) - len(bad))


def test_an_error_has_both_values() -> None:
    stream = next(one for one in RECORDINGS if "tiflow/checksum" in str(one))
    plain = messages(stream)
    at = next(at for at, one in enumerate(plain) if b'"INSERT"' in one)
    expected = json.loads(plain[at])["checksum"]["current"]
    plain[at] = plain[at].replace(b'"id":"1"', b'"id":"7"')
    (error,) = simple.Decoder(VERIFYING).decode(plain).errors
    assert isinstance(error, ChecksumError)
    assert (error.expected, error.message, error.image) == (expected, at, "new")
    assert error.computed not in (None, expected)
    assert f"`{error.schema}`.`{error.table}`" in str(error)
    assert str(expected) in str(error)
    assert str(error.computed) in str(error)
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.computed, again.message) == (str(error), error.computed, at)
    # nothing is compared unless it is asked for
    assert simple.Decoder().decode(plain).errors == []


@each_recording
def test_a_row_that_the_producer_found_corrupted_is_reported_as_such(stream: Path) -> None:
    plain = [one.replace(b'"corrupted":false', b'"corrupted":true') for one in messages(stream)]
    found = simple.Decoder(VERIFYING).decode(plain)
    assert [error.message for error in found.errors] == summed(plain)
    for error in found.errors:
        assert isinstance(error, ChecksumError)
        assert error.computed is None
        assert "the producer found" in str(error)


@each_recording
def test_damaged_messages_never_leave_the_family_of_errors(stream: Path) -> None:
    """Bytes of recorded messages changed at random: events, or errors of messages, and no other exception."""
    chance = random.Random(11)
    plain = messages(stream)
    rows = set(summed(plain))
    for _ in range(40):
        damaged = []
        for at, one in enumerate(plain):
            data = bytearray(one)
            if at in rows:
                for _ in range(chance.randrange(3)):
                    data[chance.randrange(len(data))] = chance.choice(b'0123456789-.:,"[]{} \\eZ\xff')
            damaged.append(bytes(data))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnverifiedWarning)
            found = simple.Decoder(VERIFYING).decode(damaged)
        bad = {error.message for error in found.errors}
        assert bad.isdisjoint(found.events.column("message").to_pylist())
