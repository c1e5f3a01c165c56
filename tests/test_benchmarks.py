"""What the benchmarks measure is what they say: the rows, the texts, and what peers make of them."""

from __future__ import annotations

import json
from io import BytesIO
from itertools import pairwise
from typing import Any

import fastavro
import pytest

from benchmarks import ours, rust_peer
from benchmarks.cases import Change, in_batches, interleaved, recorded, synthetic
from benchmarks.peers import (
    CANAL_JSON,
    OPEN_PROTOCOL,
    REGISTERED,
    SIMPLE,
    SIMPLE_RECORDS,
    Peer,
    canal_text,
    check,
    open_json,
)
from benchmarks.subjects import (
    AVRO,
    CANAL,
    DEBEZIUM_JSON,
    DEBEZIUM_WITHOUT_BLOCKS,
    OPEN,
    SIMPLE_AVRO,
    SIMPLE_JSON,
    SUBJECTS,
    Subject,
)
from benchmarks.text_cases import ESCAPED, KINDS, LENGTHS, texts
from benchmarks.varied_cases import COLUMNS, COUNT, LONGEST, varied

ALL_SUBJECTS = pytest.mark.parametrize("subject", SUBJECTS.values(), ids=lambda subject: subject.name)


# ---- varied rows


@pytest.fixture(scope="module")
def rows() -> list[Change]:
    """The updates of a whole run."""
    return varied()


def test_varied_rows_are_65_000_different_ones(rows: list[Change]) -> None:
    assert len(rows) == COUNT >= 65_000
    assert len({row.new["id"] for row in rows}) == COUNT
    assert len({(row.commit_ts, *row.new.values(), *row.old.values()) for row in rows}) == COUNT
    assert all(before.commit_ts <= after.commit_ts for before, after in pairwise(rows))


def test_varied_rows_hold_the_nulls_that_are_stated(rows: list[Change]) -> None:
    for column in COLUMNS:
        for side in ("new", "old"):
            nulls = sum(getattr(row, side)[column.definition.name] is None for row in rows) / COUNT
            assert nulls == pytest.approx(column.nulls, abs=0.01), (column, side)


def test_varied_rows_change_half_of_their_columns(rows: list[Change]) -> None:
    for name in ("at", "amount"):
        changed = sum(row.new[name] != row.old[name] for row in rows) / COUNT
        assert 0.4 < changed < 0.6


def test_varied_texts_are_of_all_lengths_and_scripts(rows: list[Change]) -> None:
    found = [row.new["name"] for row in rows if row.new["name"] is not None]
    lengths = [len(str(text).encode()) for text in found]
    assert (min(lengths), max(lengths)) == (0, LONGEST)
    assert len(set(lengths)) > 550
    assert 0.05 < sum(length == 0 for length in lengths) / len(lengths) < 0.15
    assert 0.25 < sum(not str(text).isascii() for text in found) / len(found) < 0.4
    for letter in ('"', "\\", "<", "&", "\n", "ä", "\U0001f600"):
        assert sum(letter in str(text) for text in found) > 100, letter
    chinese = sum(any("\u4e00" <= letter <= "\u9fff" for letter in str(text)) for text in found)
    assert 0.1 < chinese / len(found) < 0.2


def test_varied_numbers_are_of_both_signs_and_all_sizes(rows: list[Change]) -> None:
    bigs = [row.new["big"] for row in rows if isinstance(row.new["big"], int)]
    assert {0, (1 << 63) - 1, -(1 << 63)} <= set(bigs)
    assert {len(str(abs(number))) for number in bigs} == set(range(1, 20))
    amounts = [str(row.new["amount"]) for row in rows if row.new["amount"] is not None]
    assert {len(text.lstrip("-")) for text in amounts} == set(range(6, 32))
    for numbers in (bigs, [float(text) for text in amounts], [row.new["f"] for row in rows if row.new["f"]]):
        assert 0.25 < sum(number < 0 for number in numbers) / len(numbers) < 0.55  # type: ignore[operator]


def test_cases_are_the_same_in_every_run() -> None:
    assert varied(200) == varied(200)
    assert varied(200) != varied(200, seed=2)
    for kind in KINDS:
        assert texts(kind, 4096, 40_000) == texts(kind, 4096, 40_000)


@pytest.mark.codec
@ALL_SUBJECTS
def test_varied_messages_differ_and_give_the_rows_back(subject: Subject) -> None:
    for kind, batch in subject.varied:
        ready = ours.prepare(subject.rows(varied(256, kind)), batch, subject)  # which compares every event with its row
        values = ready.sent.values.to_pylist()
        assert len(set(values)) == len(values) == 256 // batch


@pytest.mark.parametrize("peer_class", [*OPEN_PROTOCOL, *CANAL_JSON, *SIMPLE, *SIMPLE_RECORDS, *REGISTERED])
def test_peers_give_varied_rows_back(peer_class: type[Peer]) -> None:
    for kind in ("update", "insert")[: 1 if peer_class in OPEN_PROTOCOL else 2]:
        rows = varied(300, kind)
        check(peer_class(rows), rows, list(in_batches(rows, 1)))


@pytest.mark.codec
@pytest.mark.parametrize("rows", [varied(200), varied(200, "insert"), *(texts(kind, 4096, 40_000) for kind in KINDS)])
def test_peers_read_as_many_bytes_as_we_do(rows: list[Change]) -> None:
    """TiCDC's text, printed twice: by our encoder, and by that of the peers. Only the order of types may differ."""
    written = ours.prepare(rows, 1, CANAL).sent.values.to_pylist()
    by_hand = [message.value for message in canal_text.exact([rows])]
    assert [*map(len, written)] == [*map(len, by_hand)]
    assert [*map(json.loads, written)] == [*map(json.loads, by_hand)]


@pytest.mark.codec
@pytest.mark.parametrize("rows", [varied(200), varied(200, "insert"), recorded(64), interleaved(3, 60)])
def test_peers_of_simple_read_our_bytes(rows: list[Change]) -> None:
    """TiCDC's, printed twice."""
    batches = list(in_batches(rows, 1))
    for peer in SIMPLE:
        assert peer(rows).sample(batches) == ours.prepare(rows, 1, SIMPLE_JSON).sent.messages()


@pytest.mark.codec
@pytest.mark.parametrize("rows", [varied(200), varied(200, "insert"), recorded(64), interleaved(3, 60)])
def test_peers_of_simples_records_read_our_bytes(rows: list[Change]) -> None:
    """Whoever writes the columns in the table's order writes the same."""
    batches = list(in_batches(rows, 1))
    for peer in SIMPLE_RECORDS:
        assert peer(rows).sample(batches) == ours.prepare(rows, 1, SIMPLE_AVRO).sent.messages()


@pytest.mark.codec
@pytest.mark.parametrize("rows", [varied(200), varied(200, "insert"), recorded(64), interleaved(3, 60)])
def test_peers_of_avro_read_our_bytes(rows: list[Change]) -> None:
    """TiCDC's, printed twice: keys and values, behind the ids of the schemas that ours registered."""
    batches = list(in_batches(rows, 1))
    for peer in REGISTERED:
        assert peer(rows).sample(batches) == ours.prepare(rows, 1, AVRO).sent.messages()


@pytest.mark.codec
def test_arrow_avro_gets_messages_and_their_schemas() -> None:
    """The files that its process reads: schemas behind id and length, values behind their lengths."""
    rows = interleaved(3, 60)
    messages = ours.prepare(rows, 1, AVRO).sent.messages()
    schemas, values = map(BytesIO, rust_peer.registered_files(messages))
    texts: dict[int, str] = {}
    while head := schemas.read(8):
        id, length = (int.from_bytes(half, "little") for half in (head[:4], head[4:]))
        texts[id] = schemas.read(length).decode()
    assert {json.loads(text)["name"] for text in texts.values()} == {"orders_0", "orders_1", "orders_2"}
    found = []
    while head := values.read(4):
        value = values.read(int.from_bytes(head, "little"))
        schema: Any = fastavro.parse_schema(json.loads(texts[int.from_bytes(value[1:5], "big")]))
        found.append(fastavro.schemaless_reader(BytesIO(value[5:]), schema, None))
    assert [one["_tidb_commit_ts"] for one in found] == [row.commit_ts for row in rows]  # type: ignore[index, call-overload]


def test_plain_records_are_two_for_an_update() -> None:
    """What arrow-avro reads: each behind its length, and nothing else."""
    rows = recorded(3)
    schema: Any = fastavro.parse_schema(rust_peer.schema_of(rows[0].columns))
    data, found = BytesIO(rust_peer.bodies(rows)), []
    while head := data.read(4):
        body = BytesIO(data.read(int.from_bytes(head, "little")))
        found.append(fastavro.schemaless_reader(body, schema, None))
        assert not body.read()
    assert found == [dict(image) for row in rows for image in (row.new, row.old)]


def test_where_cargo_is_not_there_the_recorded_figure_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rust_peer, "binary", lambda: None)
    measured = rust_peer.measure(recorded(3), 2)
    assert measured is not None
    name, figures = measured
    assert (name, figures["columns"]) == (rust_peer.NAME_RECORDED, 8)
    assert 10 < figures["ns_min"] <= figures["ns_median"] < 10_000
    assert rust_peer.measure(synthetic(3, 2), 2) is None, "of rows of another width nothing was recorded"
    assert rust_peer.measure_registered([], 2) is None
    name, figures = rust_peer.recorded_registered()
    assert (name, figures["rows"]) == (rust_peer.REGISTERED_RECORDED, 4096)
    assert 10 < figures["ns_min"] <= figures["ns_median"] < 10_000


DEBEZIUM_SUBJECTS = pytest.mark.parametrize("subject", [DEBEZIUM_JSON, DEBEZIUM_WITHOUT_BLOCKS], ids=["blocks", "bare"])


@pytest.mark.codec
@DEBEZIUM_SUBJECTS
@pytest.mark.parametrize("rows", [varied(200), varied(200, "insert"), recorded(64), interleaved(3, 60)])
def test_peers_of_debezium_read_our_bytes(rows: list[Change], subject: Subject) -> None:
    """TiCDC's, blocks and keys included, printed twice; and they give back what the protocol carries of the rows."""
    carried = subject.rows(rows)
    batches = list(in_batches(carried, 1))
    for peer in subject.peers:
        assert peer(carried).sample(batches) == ours.prepare(carried, 1, subject).sent.messages()
        check(peer(carried), carried, batches)


@DEBEZIUM_SUBJECTS
def test_debezium_carries_all_but_digits_of_decimals_and_zeros_of_times(subject: Subject) -> None:
    for row, carried in zip(rows := varied(300), subject.rows(rows), strict=True):
        for image, other in ((row.new, carried.new), (row.old, carried.old)):
            assert {name: image[name] for name in image if name not in ("amount", "at")} == {
                name: other[name] for name in other if name not in ("amount", "at")
            }
            for name in ("amount", "at"):
                assert (image[name] is None) == (other[name] is None)
            if image["amount"] is not None:
                assert float(str(image["amount"])) == float(str(other["amount"]))
            if image["at"] is not None:
                assert str(image["at"]).startswith(str(other["at"]))


@pytest.mark.codec
@pytest.mark.parametrize("rows", [varied(200), recorded(64), interleaved(3, 60)])
def test_peers_of_open_protocol_read_our_bytes(rows: list[Change]) -> None:
    """TiCDC's, printed twice."""
    for batch in (1, 7):
        assert ours.prepare(rows, batch, OPEN).sent.messages() == open_json.exact(list(in_batches(rows, batch)))


# ---- long text


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("kind", KINDS)
def test_texts_are_as_long_as_they_say(kind: str, length: int) -> None:
    rows = texts(kind, length, 5 * length)
    bodies = [str(row.new["body"]).encode() for row in rows]
    assert len(set(bodies)) == len(bodies) == 5
    assert all(length - 3 <= len(body) <= length for body in bodies)


@pytest.mark.codec
@pytest.mark.parametrize("kind", KINDS)
def test_texts_hold_the_escapes_that_they_name(kind: str) -> None:
    """Escapes in a kilobyte of a message: of quotes, of what Go writes as six letters, and letters above ASCII."""
    (value, *_) = ours.prepare(texts(kind, 65_535, 65_535), 1, CANAL).sent.values.to_pylist()
    each = {name: value.count(what) * 1000 / len(value) for name, what in (("quote", b'\\"'), ("sixth", b"\\u00"))} | {
        "wide": sum(byte >= 0xC0 for byte in value) * 1000 / len(value)
    }
    assert (each["quote"] > 90) == (kind == "a JSON document")
    assert (each["sixth"] > 60) == (kind == "HTML, as \\u003c")
    assert (each["wide"] > 250) == (kind == "letters of 2 to 4 bytes")
    assert (b"\\" in value) == (kind in ESCAPED)


# ---- many tables


def test_ten_thousand_tables_take_turns() -> None:
    rows = interleaved(10_000, 20_000)
    assert [row.table for row in rows[:10_000]] == [row.table for row in rows[10_000:]]
    assert len({row.table for row in rows}) == len({row.columns for row in rows}) == 10_000


def test_varied_texts_end_where_a_letter_ends() -> None:
    assert all(str(row.new["name"]).encode().decode() == str(row.new["name"]) for row in varied(500))
    assert LONGEST < 1000
