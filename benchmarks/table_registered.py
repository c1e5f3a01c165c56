"""A table of docs/speed.md: Avro with a schema registry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from benchmarks import rust_peer, suite
from benchmarks.peers.registered_records import RegisteredColumns
from benchmarks.subjects import AVRO
from benchmarks.table_parts import GO_ENCODE, GO_PUBLIC, Figures, cases_of, our_rows, table


def registered(document: Mapping[str, Any]) -> Iterator[str]:
    """The recorded updates, and inserts of some widths."""
    cases = cases_of(AVRO)
    figures, updates = Figures(document, cases), Figures(document, cases[:1])
    rows = [
        *our_rows(figures, updates),
        *registered_peers(figures),
    ]
    widths = " / of ".join(map(str, AVRO.widths))
    yield from table(
        "Avro with a schema registry and TiDB's extension, a row a message, schemas known: the recorded updates of 8 "
        f"columns, of which there is the new row only / inserts of {widths} columns:",
        rows,
    )


def registered_peers(figures: Figures) -> list[tuple[str, str, str]]:
    """Who reads and writes the same messages."""
    return [
        ("TiCDC's Go: its public decoder; encoding", figures(GO_PUBLIC), figures(GO_ENCODE)),
        ("arrow-avro (Rust), to Arrow columns", figures({"codec": rust_peer.REGISTERED}), ""),
        (
            "fastavro, to Arrow columns",
            figures({"codec": RegisteredColumns.name, "operation": RegisteredColumns.result}),
            figures({"codec": RegisteredColumns.name, "operation": suite.FROM_ROWS}),
        ),
    ]
