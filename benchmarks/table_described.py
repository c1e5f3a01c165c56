"""Tables of docs/speed.md: protocols that describe tables apart from their rows, Simple in both encodings, Debezium."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from benchmarks import rust_peer, suite
from benchmarks.peers.debezium_json import DebeziumColumns, DebeziumStructs
from benchmarks.peers.simple_json import SimpleColumns, SimpleStructs
from benchmarks.peers.simple_records import RecordColumns
from benchmarks.subjects import DEBEZIUM_JSON, DEBEZIUM_WITHOUT_BLOCKS, SIMPLE_AVRO, SIMPLE_JSON
from benchmarks.table_parts import GO_ENCODE, GO_PUBLIC, Figures, cases_of, our_rows, table


def simple(document: Mapping[str, Any]) -> Iterator[str]:
    """Simple's objects."""
    cases = cases_of(SIMPLE_JSON)
    figures, updates = Figures(document, cases), Figures(document, cases[:1])
    rows = [
        *our_rows(figures, updates),
        *simple_peers(figures),
    ]
    widths = " / of ".join(map(str, SIMPLE_JSON.widths))
    yield from table(
        "Simple, a row a message, its table described before: the recorded updates of 8 columns with both images / "
        f"inserts of {widths} columns:",
        rows,
    )


def simple_peers(figures: Figures) -> list[tuple[str, str, str]]:
    """Who reads and writes Simple beside us."""
    return [
        ("TiCDC's Go: its public decoder; encoding", figures(GO_PUBLIC), figures(GO_ENCODE)),
        (
            "msgspec with types written by hand, to Arrow columns",
            figures({"codec": SimpleColumns.name, "operation": SimpleColumns.result}),
            figures({"codec": SimpleStructs.name, "operation": suite.FROM_ROWS}),
        ),
        (
            "msgspec with types written by hand, to structs",
            figures({"codec": SimpleStructs.name, "operation": SimpleStructs.result}),
            "",
        ),
    ]


def records(document: Mapping[str, Any]) -> Iterator[str]:
    """Simple's records."""
    cases = cases_of(SIMPLE_AVRO)
    figures, updates = Figures(document, cases), Figures(document, cases[:1])
    rows = [
        *our_rows(figures, updates),
        *record_peers(figures),
        ("plain Avro records of the updates' rows, arrow-avro (Rust)", updates({"codec": rust_peer.NAME}), ""),
    ]
    widths = " / of ".join(map(str, SIMPLE_AVRO.widths))
    yield from table(
        "Simple's records, the same: the recorded updates of 8 columns with both images / inserts of "
        f"{widths} columns:",
        rows,
    )


def record_peers(figures: Figures) -> list[tuple[str, str, str]]:
    """Who reads and writes Simple's records beside us."""
    return [
        ("TiCDC's Go: its public decoder; encoding", figures(GO_PUBLIC), figures(GO_ENCODE)),
        (
            "fastavro with the schema given, to Arrow columns",
            figures({"codec": RecordColumns.name, "operation": RecordColumns.result}),
            figures({"codec": RecordColumns.name, "operation": suite.FROM_ROWS}),
        ),
    ]


def debezium(document: Mapping[str, Any]) -> Iterator[str]:
    """Debezium, with schema blocks and without."""
    cases = [
        {"protocol": subject.name, "batch": 1, "rows": rows, "columns": width}
        for subject in (DEBEZIUM_JSON, DEBEZIUM_WITHOUT_BLOCKS)
        for rows, width in (("recorded", 8), *(("synthetic", width) for width in subject.widths))
    ]
    figures, updates = Figures(document, cases), Figures(document, cases[:: len(cases) // 2])
    rows = [
        *our_rows(figures, updates),
        *debezium_peers(figures),
    ]
    widths = " / of ".join(map(str, DEBEZIUM_JSON.widths))
    yield from table(
        "Debezium, a row a message: the recorded updates of 8 columns with both images / inserts of "
        f"{widths} columns, with schema blocks / and the same without blocks, tables described before:",
        rows,
    )


def debezium_peers(figures: Figures) -> list[tuple[str, str, str]]:
    """Who reads and writes Debezium beside us."""
    return [
        ("TiCDC's Go: its public decoder; encoding", figures(GO_PUBLIC), figures(GO_ENCODE)),
        (
            "msgspec with types written by hand, to Arrow columns",
            figures({"codec": DebeziumColumns.name, "operation": DebeziumColumns.result}),
            figures({"codec": DebeziumStructs.name, "operation": suite.FROM_ROWS}),
        ),
        (
            "msgspec with types written by hand, to structs",
            figures({"codec": DebeziumStructs.name, "operation": DebeziumStructs.result}),
            "",
        ),
    ]
