"""The options that verify and compute row checksums."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

import tidewire
from checksums.recordings import RECORDINGS, messages
from checksums.rows import COMPUTING, DESCRIBED, MOMENT, NUMBERS, ROW, TIMES, VERIFYING, declared, row_sum, store_of
from tidewire import open_protocol, simple
from tidewire.events import Column, Ddl, Events, RowChange
from tidewire.messages.checksums.verifying import MOST_REASONS, OTHERS, UnverifiedWarning
from tidewire.messages.delivery.claims import ClaimError
from tidewire.runtime.errors import EncodeError
from tidewire.tables import TableDescription, TableStore

pytestmark = pytest.mark.codec


def test_unverified_rows_stay_and_are_counted() -> None:
    stream = next(one for one in RECORDINGS if "tiflow/checksum" in str(one))
    plain = [one.replace(b'"location":"UTC"', b'"location":"SYSTEM"') for one in messages(stream)]
    decoder = simple.Decoder(VERIFYING)
    with pytest.warns(UnverifiedWarning, match="`SYSTEM`, which is not known here"):
        found = decoder.decode(plain)
    assert found.errors == []
    assert found.num_events == len(plain)
    ((told, count),) = decoder.unverified.items()
    assert "column `f`" in told
    assert count == 4


def test_reasons_are_bounded() -> None:
    row = {"a": "2020-01-01 00:00:00"}
    sums = {"checksum": 9, "checksum_before": 0, "checksum_version": 0, "checksum_corrupted": False}
    more: Any = {"columns": MOMENT, "table_version": 5, "table_id": 1, **sums}
    events = [
        RowChange("insert", 1, "s", "t", new=row, time_zone=f"zone{at}", **more) for at in range(MOST_REASONS + 50)
    ]
    encoder = simple.Encoder(simple.Options(enable_row_checksum=True))
    written = [value for _, value, _, _ in encoder.messages(Events.columns_of(events))]
    decoder = simple.Decoder(VERIFYING, TIMES)
    with pytest.warns(UnverifiedWarning):
        assert decoder.decode(written).errors == []
    assert len(decoder.unverified) == MOST_REASONS + 1
    assert decoder.unverified[OTHERS] == 50


INSERT = RowChange("insert", 1, "s", "t", ROW, None, 1, None, NUMBERS, table_version=5)


def test_a_checksum_that_cannot_be_computed_is_refused() -> None:
    events = Events.columns_of([INSERT])
    with pytest.raises(EncodeError, match=r"its checksum cannot be computed: the table `s`\.`t` is not described"):
        simple.Encoder(COMPUTING).encode(events)
    assert simple.Encoder(COMPUTING, tables=store_of(DESCRIBED)).encode(events).num_rows == 1


def test_descriptions_come_with_events_or_are_given() -> None:
    (table,) = store_of(DESCRIBED)
    described = Ddl(1, "s", "t", 3, "create", table_after=table)
    store = TableStore()
    assert len(simple.encode([described, INSERT], COMPUTING, tables=store)) == 2
    assert list(store) == [table]
    (message,) = simple.encode([INSERT], COMPUTING, tables=store)
    assert message.value is not None
    (value,) = simple.encode_batch(Events.columns_of([INSERT]), COMPUTING, tables=store).column("value").to_pylist()
    assert json.loads(value)["checksum"] == json.loads(message.value)["checksum"]
    # a call knows nothing of those before it
    simple.encode([described, INSERT], COMPUTING)
    with pytest.raises(EncodeError, match="is not described"):
        simple.encode([INSERT], COMPUTING)


def test_descriptions_that_contradict_each_other_are_refused() -> None:
    first = TableDescription("s", "t", DESCRIBED, id=1, version=5)
    second = TableDescription("s", "t", [*DESCRIBED, declared("c", "int")], id=1, version=5)
    events = [INSERT, *(Ddl(1, "s", "t", 3, "create", table_after=table) for table in (first, second))]
    with pytest.raises(EncodeError) as caught:
        simple.Encoder(COMPUTING).encode(Events.columns_of(events))
    assert caught.value.event == 2
    assert "version 5 is described already" in str(caught.value)


def test_computed_checksums_are_written_without_a_second_option() -> None:
    events = Events.columns_of([INSERT])
    (written,) = simple.Encoder(COMPUTING, tables=store_of(DESCRIBED)).messages(events)
    assert written[1] is not None
    assert json.loads(written[1])["checksum"] == {
        "version": 2, "corrupted": False, "current": row_sum(NUMBERS, ROW), "previous": 0,
    }  # fmt: skip
    assert COMPUTING.enable_row_checksum
    assert simple.Options.from_strings({"compute-checksum": "true"}) == COMPUTING


def test_rows_of_another_protocol_get_checksums() -> None:
    columns = [Column("id", 3, 11), Column("name", 15, 64), Column("at", 7, 65)]
    rows = [{"id": at, "name": f"n{at}", "at": None} for at in range(3)]
    events = [RowChange("insert", (at + 1) << 18, "s", "t", row, columns=columns) for at, row in enumerate(rows)]
    messages = open_protocol.encode(events)
    written, report = tidewire.transcode(
        [message.value for message in messages],
        "open-protocol",
        "simple",
        target_options={"compute-checksum": "true"},
        keys=[message.key for message in messages],
    )
    assert report.refused == []
    decoder = simple.Decoder(VERIFYING)
    found = decoder.decode(written.column("value"))
    assert (found.errors, decoder.unverified) == ([], {})
    assert [one for one in found.events.column("checksum").to_pylist() if one] == [
        row_sum(columns, row) for row in rows
    ]


KEYED = [Column("a", 3, 11), Column("b", 3, 0), Column("c", 15, 0)]
WIDE = [*DESCRIBED, declared("c", "varchar")]


def big(**sums: Any) -> RowChange:
    """A row that is longer than its key, with these checksums."""
    row = {"a": 1, "b": 123456789, "c": "c" * 600}
    return RowChange("insert", 1, "s", "t", row, None, 1, None, KEYED, table_version=5, sent_ms=2, **sums)


def test_rows_that_are_kept_elsewhere_are_verified_where_they_lie(tmp_path: Path) -> None:
    large: Any = {"max_message_bytes": 700, "large_message_handle_option": "claim-check"}
    options = simple.Options(compute_checksum=True, claim_check_storage_uri=str(tmp_path), **large)
    store = store_of(WIDE)
    (message,) = simple.Encoder(options, tables=store).messages(Events.columns_of([big()]))
    assert message[1] is not None
    assert json.loads(message[1])["data"] == {"a": "1"}
    fetching = simple.Options(verify_checksum=True, claim_check=str(tmp_path))
    decoder = simple.Decoder(fetching, store)
    found = decoder.decode([message[1]])
    assert (found.errors, found.num_events, decoder.unverified) == ([], 1, {})
    # without the file there is the handle key only, of which nothing can be told
    unfetched = simple.Decoder(VERIFYING, store)
    with pytest.warns(UnverifiedWarning, match="handle key only"):
        assert unfetched.decode([message[1]]).num_events == 1
    (file,) = tmp_path.iterdir()
    kept = json.loads(file.read_bytes())
    damaged = base64.b64decode(kept["value"]).replace(b"123456789", b"123456780")
    file.write_text(json.dumps({**kept, "value": base64.b64encode(damaged).decode()}))
    (error,) = simple.Decoder(fetching, store).decode([message[1]]).errors
    row = big().new or {}
    assert isinstance(error, ClaimError)
    assert f"came with the checksum {row_sum(KEYED, row)}: " in str(error)
    assert f"its checksum is {row_sum(KEYED, {**row, 'b': 123456780})} " in str(error)


@pytest.mark.parametrize("compression", ["snappy", "lz4"])
def test_rows_in_compressed_messages_are_verified(compression: str) -> None:
    packed: Any = {"large_message_handle_compression": compression}
    store = store_of(WIDE)
    encoder = simple.Encoder(simple.Options(compute_checksum=True, **packed), tables=store)
    wrong = big(checksum=7, checksum_before=0, checksum_version=2, checksum_corrupted=False)
    values = [value for _, value, _, _ in encoder.messages(Events.columns_of([big(), wrong, big()]))]
    found = simple.Decoder(simple.Options(verify_checksum=True, **packed), store).decode(values)
    assert [error.message for error in found.errors] == [1]
    assert found.events.column("message").to_pylist() == [0, 2]
