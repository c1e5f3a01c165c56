"""The figures of docs/speed.md, out of a run's JSON: ``python -m benchmarks.table [--json FILE] [--write]``.

What stands in docs/speed.md between :data:`BEGIN` and :data:`END` is what :func:`page` makes of
``benchmarks/results/latest.json``; a whole run writes both, a test compares them. A line whose figures a run lacks is
left out.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks import (
    blocks,
    calls,
    escapes,
    many,
    ours,
    spark_debezium,
    spark_json,
    spark_open,
    spark_registered,
    spark_simple,
    startup,
    suite,
    varied,
)
from benchmarks.cases import GO_BATCHES
from benchmarks.peers.avro import Avro
from benchmarks.peers.canal_json import ArrowJson, MsgspecColumns, MsgspecStructs, OrjsonDicts, StdlibDicts
from benchmarks.peers.open_columns import OpenColumns
from benchmarks.peers.open_json import MsgspecTyped, StdlibJson
from benchmarks.peers.protobuf import ProtobufColumnar, ProtobufRows
from benchmarks.subjects import (
    CANAL,
    CRAFT,
    OPEN,
    SUBJECTS,
)
from benchmarks.table_described import debezium, debezium_peers, record_peers, records, simple, simple_peers
from benchmarks.table_parts import (
    COLUMNS,
    EVENTS,
    FROM_COLUMNS,
    GO_ENCODE,
    GO_PUBLIC,
    GO_WIRE,
    OWN,
    PURE,
    Figures,
    both,
    cases_of,
    found_in,
    our_rows,
    spread,
    table,
)
from benchmarks.table_registered import registered, registered_peers
from benchmarks.text_cases import KINDS, LENGTHS
from benchmarks.timing import Result
from benchmarks.varied_cases import LONGEST

ROOT = Path(__file__).resolve().parent.parent
SPEED, LATEST = ROOT / "docs" / "speed.md", ROOT / "benchmarks" / "results" / "latest.json"
BEGIN = "<!-- what follows is printed by python -m benchmarks.table, out of benchmarks/results/latest.json -->"
END = "<!-- until here -->"


def page(document: Mapping[str, Any]) -> str:
    """The tables of a run, as Markdown."""
    machine = document["machine"]
    blocks = [
        f"Figures of one run on {machine['cores']} cores ({machine['processor']}, load {machine['load_before']} before "
        "it): compare within the run. One thread, ns per event, the fastest repeat.",
        *_recorded_craft(document),
        *_canal(document),
        *_open(document),
        *simple(document),
        *records(document),
        *debezium(document),
        *registered(document),
        *_varied(document),
        *_rest(document),
    ]
    return "\n\n".join(blocks) + "\n"


def _recorded_craft(document: Mapping[str, Any]) -> Iterator[str]:
    cases = [{"protocol": CRAFT.name, "rows": "recorded", "batch": batch} for batch in GO_BATCHES]
    large = cases[-1:]
    figures = Figures(document, cases)
    protobuf = Figures(document, large)
    typed = {"operation": suite.TO_VALUES}
    rows = [
        ("Tidewire, to and from Arrow columns", figures(COLUMNS), figures(FROM_COLUMNS)),
        ("Tidewire, to events with both rows as dicts", figures(EVENTS), ""),
        ("the same interpreted, Arrow columns", figures(COLUMNS | PURE), figures(FROM_COLUMNS | PURE)),
        ("TiCDC's Go: reading the wire alone; encoding", figures(GO_WIRE), figures(GO_ENCODE)),
        ("TiCDC's Go: its public decoder", figures(GO_PUBLIC), ""),
        ("JSON of the same rows, msgspec with types written by hand", *both(figures, MsgspecTyped.name, typed)),
        *(
            (f"{name}, in messages of {GO_BATCHES[-1]}", *both(protobuf, peer.name, typed))
            for name, peer in (("protobuf, a message per row", ProtobufRows), ("protobuf, columnar", ProtobufColumnar))
        ),
        ("Avro, fastavro", *both(figures, Avro.name, typed)),
    ]
    sizes = " / ".join(map(str, GO_BATCHES))
    yield from table(
        f"Craft, the recorded updates of 8 columns with both row images, in messages of {sizes} events:", rows
    )


def _canal(document: Mapping[str, Any]) -> Iterator[str]:
    cases = cases_of(CANAL)
    figures, updates = Figures(document, cases), Figures(document, cases[:1])
    rows = [
        *our_rows(figures, updates),
        *_canal_peers(figures),
        ("the standard library, to typed Python values", *both(figures, StdlibDicts.name, {})),
    ]
    widths = " / of ".join(map(str, CANAL.widths))
    yield from table(
        "Canal-JSON, a row a message: the recorded updates of 8 columns with both images / inserts of "
        f"{widths} columns:",
        rows,
    )


def _open(document: Mapping[str, Any]) -> Iterator[str]:
    cases = [{"protocol": OPEN.name, "rows": "recorded", "batch": batch} for batch in GO_BATCHES]
    figures = Figures(document, cases)
    rows = [
        ("Tidewire, to and from Arrow columns", figures(COLUMNS), figures(FROM_COLUMNS)),
        ("Tidewire, to events with both rows as dicts", figures(EVENTS), ""),
        ("the same interpreted, Arrow columns", figures(COLUMNS | PURE), figures(FROM_COLUMNS | PURE)),
        *_open_peers(figures),
        ("the standard library, to typed Python values", *both(figures, StdlibJson.name, {})),
    ]
    sizes = " / ".join(map(str, GO_BATCHES))
    yield from table(f"Open Protocol, the same updates, in messages of {sizes} events:", rows)


def _open_peers(figures: Figures) -> list[tuple[str, str, str]]:
    """Who reads and writes Open Protocol beside us."""
    return [
        ("TiCDC's Go: its public decoder; encoding", figures(GO_PUBLIC), figures(GO_ENCODE)),
        (
            "msgspec with types written by hand, to Arrow columns",
            figures({"codec": OpenColumns.name, "operation": OpenColumns.result}),
            "",
        ),
        ("msgspec with types written by hand, to typed Python values", *both(figures, MsgspecTyped.name, {})),
    ]


def _varied(document: Mapping[str, Any]) -> Iterator[str]:
    measured = {r["protocol"] for r in document["results"] if r["rows"] == varied.ROWS}
    cases = {
        subject.name: [
            {"protocol": subject.name, "rows": varied.ROWS, "kind": kind, "batch": batch}
            for kind, batch in subject.varied
        ]
        for subject in SUBJECTS.values()
    }
    craft, canal, framed, simple, records, debezium, bare, avro = (Figures(document, cases[name]) for name in cases)
    updates = Figures(document, cases[CRAFT.name][:2])
    rows = [
        ("Craft: Tidewire, to and from Arrow columns", craft(COLUMNS), craft(FROM_COLUMNS)),
        ("Tidewire, to events with the rows as dicts", craft(EVENTS), ""),
        ("TiCDC's Go: reading the wire alone; encoding", craft(GO_WIRE), craft(GO_ENCODE)),
        ("JSON of the same updates, msgspec with types written by hand", *both(updates, MsgspecTyped.name, {})),
        ("Canal-JSON: Tidewire, to and from Arrow columns", canal(COLUMNS), canal(FROM_COLUMNS)),
        ("Tidewire, to events with the rows as dicts", canal(EVENTS), ""),
        *_canal_peers(canal),
        ("Open Protocol: Tidewire, to and from Arrow columns", framed(COLUMNS), framed(FROM_COLUMNS)),
        ("Tidewire, to events with the rows as dicts", framed(EVENTS), ""),
        *_open_peers(framed),
        ("Simple: Tidewire, to and from Arrow columns", simple(COLUMNS), simple(FROM_COLUMNS)),
        ("Tidewire, to events with the rows as dicts", simple(EVENTS), ""),
        *simple_peers(simple),
        ("Simple's records: Tidewire, to and from Arrow columns", records(COLUMNS), records(FROM_COLUMNS)),
        ("Tidewire, to events with the rows as dicts", records(EVENTS), ""),
        *record_peers(records),
        ("Debezium: Tidewire, to and from Arrow columns", debezium(COLUMNS), debezium(FROM_COLUMNS)),
        ("Tidewire, to events with the rows as dicts", debezium(EVENTS), ""),
        *debezium_peers(debezium),
        ("Debezium without blocks: Tidewire, to and from Arrow columns", bare(COLUMNS), bare(FROM_COLUMNS)),
        ("Tidewire, to events with the rows as dicts", bare(EVENTS), ""),
        *debezium_peers(bare),
        ("Avro: Tidewire, to and from Arrow columns", avro(COLUMNS), avro(FROM_COLUMNS)),
        ("Tidewire, to events with the rows as dicts", avro(EVENTS), ""),
        *registered_peers(avro),
    ]
    events = max((r["events"] for r in document["results"] if r["rows"] == varied.ROWS), default=0)
    yield from table(
        f"{events:,} different rows of 8 columns with nulls, text of 0 to {LONGEST} bytes in several scripts, numbers "
        "of all sizes, none of them in the processor's caches: "
        + "; ".join(
            f"{subject.title}, " + " / ".join(f"{kind}s in messages of {batch}" for kind, batch in subject.varied)
            for subject in SUBJECTS.values()
            if subject.name in measured
        )
        + ":",
        rows,
    )


def _canal_peers(figures: Figures) -> list[tuple[str, str, str]]:
    """Who reads and writes Canal-JSON beside us."""
    return [
        ("TiCDC's Go: its public decoder; encoding", figures(GO_PUBLIC), figures(GO_ENCODE)),
        (
            "msgspec with types written by hand, to Arrow columns",
            figures({"codec": MsgspecColumns.name, "operation": MsgspecColumns.result}),
            figures({"codec": MsgspecStructs.name, "operation": suite.FROM_ROWS}),
        ),
        ("orjson, to typed Python values", *both(figures, OrjsonDicts.name, {})),
        ("pyarrow.json, to Arrow columns", figures({"codec": ArrowJson.name}), ""),
    ]


def _rest(document: Mapping[str, Any]) -> Iterator[str]:
    rows = [
        *_tables(document),
        *_small(document),
        *_texts(document),
        *_blocks(document),
        *_starts(document),
        *_spark(document),
    ]
    shown = [f"| {what} | {figure} |" for what, figure in rows if figure]
    if shown:
        yield "\n".join(["| | |", "|---|---|", *shown])


def _tables(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Interleaved tables, times one table's cost."""
    ratios: dict[int, list[float]] = {}
    for one in found_in(document, {"rows": "interleaved", "tables": 1, "group": "decode"}):
        same = {name: one[name] for name in ("rows", "group", "protocol", "batch", "operation")}
        for other in found_in(document, same):
            if other["tables"] > 1:
                ratios.setdefault(other["tables"], []).append(other["ns_min"] / one["ns_min"])
    for tables, found in sorted(ratios.items()):
        yield f"decode {tables} tables in turn, times one table", spread(found)
    most = max(many.TABLES)
    for operation, how in ((many.DECODED, "to columns"), (ours.COLUMNS, "and Arrow columns of every table made")):
        for subject in SUBJECTS.values():
            spans = []
            for batch in subject.many_batches:
                wanted = {"protocol": subject.name, "group": many.GROUP, "operation": operation, "batch": batch}
                single = {r["rows"]: r["ns_min"] for r in found_in(document, wanted | {"tables": 1})}
                found = [
                    r["ns_min"] / single[r["rows"]]
                    for r in found_in(document, wanted | {"tables": most})
                    if r["rows"] in single
                ]
                spans += [f"{spread(found)} in messages of {batch}"] if found else []
            name = f"{subject.title}: decode {most:,} tables, in turn and shuffled, {how}; times one table"
            yield name, ", ".join(spans)


def _small(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Calls for one message, and event objects."""
    for what, group, operation in (
        ("one message a call: decode", calls.SINGLE, calls.CALL),
        ("one message a call: decode, both rows as dicts", calls.SINGLE, calls.CALL_DICTS),
        ("one event a call: encode", calls.SINGLE, calls.CALL_ENCODE),
        ("many event objects a call: encode, columns shared", calls.OBJECTS, calls.SHARED),
        ("many event objects a call: encode, columns of their own", calls.OBJECTS, calls.APART),
    ):
        figures = [
            f"{subject.title} {found[0]['ns_min'] / 1000:.1f} µs"
            for subject in SUBJECTS.values()
            if (found := found_in(document, {"protocol": subject.name, "group": group, "operation": operation}))
        ]
        yield what, ", ".join(figures)


def _texts(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Long text: GB a second."""
    for kind in KINDS:
        speeds = [
            f"{found[0]['bytes_per_event'] / found[0]['ns_min']:.2f}"
            for length in LENGTHS
            if (found := found_in(document, OWN | {"group": escapes.GROUP, "rows": escapes.rows_of(kind, length)}))
        ]
        lengths = " / ".join(f"{length:,}" for length in LENGTHS)
        name = kind.replace("\\u003c", "`\\u003c`")
        yield (
            f"Canal-JSON: decode rows with a text of {lengths} bytes, {name}",
            " / ".join(speeds) + " GB/s" if speeds else "",
        )


def _blocks(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Schema blocks that all messages share."""
    found = found_in(document, {"group": blocks.GROUP})
    cost = blocks.cost([Result(**result) for result in found])
    shown = "" if cost is None else f"{cost.decoded:.0f} ns; comparing these bytes: {cost.compared:.0f} ns"
    length = 0.0 if cost is None else cost.length
    yield f"Debezium: {length:,.0f} bytes more of a schema block that all messages share, an event", shown


def _starts(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Fresh processes."""
    seconds = {start["what"]: start["wall"] for start in document.get("startup", ())}
    names = (startup.PYTHON, startup.ARROW, *startup.IMPORTS, startup.VERSION, startup.DETECT)
    figures = [f"`{name}` {seconds[name]:.2f} s" for name in names[1:] if name in seconds]
    yield "a fresh process, start to end", ", ".join(figures)


def _spark(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Through Spark, µs a message of one update."""
    figures = []
    micros = {(s["surface"], s["batch"]): s["ns_per_message_min"] / 1000 for s in document["spark"]}
    for what, surface in (
        ("the scan alone", "scan"),
        ("through a Python worker that does nothing", "mapInArrow identity"),
        ("Tidewire's typed rows from Craft", "typed rows"),
        ("Tidewire's typed rows from Canal-JSON", spark_json.TYPED),
        ("`from_json` with casts over Canal-JSON", spark_json.FROM_JSON),
        ("`parse_json` and `variant_get` over Canal-JSON", spark_json.VARIANT),
        ("Tidewire's typed rows from Open Protocol", spark_open.TYPED),
        ("`from_json` with casts over key and value of Open Protocol", spark_open.FROM_JSON),
        ("Tidewire's typed rows from Simple", spark_simple.TYPED),
        ("`from_json` with casts over Simple", spark_simple.FROM_JSON),
        ("Tidewire's typed rows from Debezium", spark_debezium.TYPED),
        ("`from_json` with casts over Debezium", spark_debezium.FROM_JSON),
        ("Tidewire's typed rows from Avro", spark_registered.TYPED),
        ("`from_avro` with casts over Avro", spark_registered.FROM_AVRO),
        ("`from_avro` alone", spark_registered.FROM_AVRO_BARE),
    ):
        if (surface, 1) in micros:
            figures.append(f"{what} {micros[surface, 1]:.1f}")
    yield "Spark, from Parquet to nowhere, one core, µs a message of one update", ", ".join(figures)


def replaced(speed: str, document: Mapping[str, Any]) -> str:
    """The page with the tables of this run; raises ``ValueError`` where it does not say where they stand."""
    start, stop = speed.find(BEGIN), speed.find(END)
    if not 0 <= start < stop:
        raise ValueError(f"docs/speed.md has to have the lines {BEGIN!r} and {END!r}, in this order")
    return f"{speed[: start + len(BEGIN)]}\n\n{page(document)}\n{speed[stop:]}"


def write(document: Mapping[str, Any]) -> None:
    """Put the tables of this run into the page."""
    SPEED.write_text(replaced(SPEED.read_text(encoding="utf-8"), document), encoding="utf-8")


def main() -> None:
    """Print the tables, or write them into the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.table", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--json", type=Path, default=LATEST, help="a run's figures (default: %(default)s)")
    parser.add_argument("--write", action="store_true", help="write docs/speed.md instead of printing")
    options = parser.parse_args()
    document = json.loads(options.json.read_text(encoding="utf-8"))
    if options.write:
        write(document)
    else:
        print(page(document), end="")


if __name__ == "__main__":
    main()
