"""The targets, and whether this run reached them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks import (
    blocks,
    calls,
    escapes,
    go_peer,
    many,
    memory,
    ours,
    rust_peer,
    spark_debezium,
    spark_json,
    spark_open,
    spark_registered,
    spark_simple,
    startup,
    varied,
)
from benchmarks.cases import GO_BATCHES, go_reference
from benchmarks.peers.registered_records import RegisteredColumns
from benchmarks.subjects import CANAL, OPEN, SUBJECTS, Subject
from benchmarks.text_cases import ESCAPED, LENGTHS
from benchmarks.timing import Result

GO_SHARES = {
    "craft": {"decode": 6, "encode": 5},
    "canal-json": {"decode": 10, "encode": 1},
    "open-protocol": {"decode": 10, "encode": 3},
    "simple": {"decode": 10, "encode": 3},
    "debezium": {"decode": 10, "encode": 3},
    "avro": {"decode": 5, "encode": 3},
}
"""How many times cheaper than TiCDC's own Go ours has to be: decode to Arrow columns, encode from them."""
GO_DECODES = {
    "craft": (go_peer.WIRE, "decode-wire-only"),
    "canal-json": (go_peer.DECODE, "decode-reused"),
    "open-protocol": (go_peer.DECODE, "decode-reused"),
    "simple": (go_peer.DECODE, "decode-reused"),
    "debezium": (go_peer.DECODE, "decode-reused"),
    "avro": (go_peer.DECODE, "decode-reused"),
}
"""Which of Go's decodings that is: in this run, and as it was recorded."""
HAND_SHARE = 3
"""How many times cheaper than msgspec with typed columns, by hand."""
AVRO_SHARES = (
    ("arrow-avro", (rust_peer.REGISTERED, rust_peer.REGISTERED_RECORDED), 0.4),
    ("fastavro to Arrow columns", (RegisteredColumns.name,), 0.02),
)
"""Of the time of other readers of Avro ours may take: who, under which names, how much."""
EVENT_NS = 1000.0
CALL_NS = 8000.0
OBJECT_NS = 4000.0
INTERLEAVED_RATIO = 2.0
SPARK_NS = 2000.0
MANY_RATIO = 3.0
TEXT_SPEED = 1.5
"""GB of messages a second, of text with escapes."""
IMPORT_S = 0.1
"""What importing a protocol may take beyond pyarrow's own import, seconds."""
VERSION_S = 0.2


@dataclass(frozen=True, slots=True)
class Verdict:
    """One target: what was measured, what is allowed or, ``at_least``, what is wanted (both in ``unit``)."""

    target: str
    measured: float | None
    limit: float
    unit: str
    note: str = ""
    at_least: bool = False

    @property
    def reached(self) -> bool:
        """Whether the target was measured and kept."""
        if self.measured is None:
            return False
        return self.measured >= self.limit if self.at_least else self.measured <= self.limit

    def line(self) -> str:
        """One line: reached or not, by how much."""
        note = f" ({self.note})" if self.note else ""
        if self.measured is None:
            return f"not measured  {self.target}{note}"
        share = self.measured / self.limit if self.limit else float("inf")
        word = "reached     " if self.reached else "NOT reached "
        if self.at_least:
            margin = f"{share:.2f} times what is wanted" if self.reached else f"{share:.2f} of what is wanted"
        else:
            margin = f"{share:.2f} of what is allowed" if self.reached else f"{share:.2f} times what is allowed"
        digits = 0 if self.limit >= 100 else 2
        figures = f"{self.measured:,.{digits}f} of {self.limit:,.{digits}f} {self.unit}"
        return f"{word}  {self.target}: {figures}, {margin}{note}"


def find(results: Sequence[Result], **wanted: object) -> Result | None:
    """The first result whose fields have these values."""
    return next((r for r in results if all(getattr(r, name) == value for name, value in wanted.items())), None)


def go_figure(operation: str, batch: int, codec: str = "craft") -> float | None:
    """A recorded Go figure: the minimum, ns per event."""
    for figure in go_reference()["figures"]:
        if (figure["codec"], figure["operation"], figure["batch"]) == (codec, operation, batch):
            return float(figure["min_ns"])
    return None


def all_verdicts(
    results: Sequence[Result],
    memory_report: Sequence[dict[str, int]],
    spark: Sequence[dict[str, Any]],
    starts: Sequence[startup.Start] = (),
) -> list[Verdict]:
    """Every target with what this run measured for it."""
    verdicts = []
    for subject in SUBJECTS.values():
        verdicts += _go_verdicts(subject, results)
    for subject in SUBJECTS.values():
        verdicts += _hand_verdicts(subject, results)
    for subject in SUBJECTS.values():
        verdicts += _varied_verdicts(subject, results)
    for subject in SUBJECTS.values():
        verdicts += _avro_verdicts(subject, results)
    verdicts += _event_verdicts(results)
    for subject in SUBJECTS.values():
        verdicts += _call_verdicts(subject, results)
    for subject in SUBJECTS.values():
        verdicts += _interleaved_verdicts(subject, results)
    for subject in SUBJECTS.values():
        verdicts += _many_verdicts(subject, results)
    verdicts += _text_verdicts(results)
    verdicts.append(_block_verdict(results))
    verdicts += _start_verdicts(starts)
    verdicts += _spark_verdicts(spark)
    verdicts.append(_memory_verdict(memory_report))
    return verdicts


def _go_verdicts(subject: Subject, results: Sequence[Result]) -> list[Verdict]:
    shares, (live_decode, recorded_decode) = GO_SHARES[subject.protocol_name], GO_DECODES[subject.protocol_name]
    verdicts = []
    for group, operation, go_operation, live_operation in (
        ("decode", ours.COLUMNS, recorded_decode, live_decode),
        ("encode", ours.FROM_COLUMNS, "encode", go_peer.ENCODE),
    ):
        if group == "decode" and not subject.go_decodes:
            continue
        share = shares[group]
        for batch in (batch for batch in GO_BATCHES if batch in subject.batches):
            wanted: dict[str, Any] = {"protocol": subject.name, "rows": "recorded", "batch": batch}
            found = find(results, group=group, codec="tidewire", operation=operation, **wanted)
            live = find(results, codec=go_peer.NAME, operation=live_operation, **wanted)
            go = go_figure(go_operation, batch, subject.reference) if live is None else live.ns_min
            whose = f"1/{share} of Go's" if go is None else f"1/{share} of Go's {go:,.0f} ns"
            verdicts.append(
                Verdict(
                    f"{subject.title} {group} {operation}, batches of {batch}: {whose}",
                    None if go is None else _ns(found),
                    (go or 0.0) / share,
                    "ns per event",
                    "Go was recorded on another machine" if live is None else "Go in the same run",
                )
            )
    return verdicts


def _hand_verdicts(subject: Subject, results: Sequence[Result]) -> list[Verdict]:
    """Decoding beside what a consumer writes by hand with msgspec."""
    hand = subject.hand
    if hand is None:
        return []
    verdicts = []
    cases = [("recorded", 8, batch) for batch in subject.batches]
    cases += [("synthetic", width, batch) for width in subject.widths for batch in subject.width_batches]
    cases += [("mixed", 8, batch) for batch in subject.mixed_batches] if subject.mixed_peers else []
    for rows, columns, batch in cases:
        wanted: dict[str, Any] = {"protocol": subject.name, "group": "decode", "rows": rows}
        wanted |= {"columns": columns, "batch": batch}
        found = find(results, codec="tidewire", operation=ours.COLUMNS, **wanted)
        beside = find(results, codec=hand.name, operation=hand.result, **wanted)
        limit = 0.0 if beside is None else beside.ns_min / HAND_SHARE
        whose = f"1/{HAND_SHARE} of msgspec by hand"
        cut = "" if subject.batches == (1,) else f", batches of {batch}"
        target = f"{subject.title} decode {ours.COLUMNS}, {rows} rows of {columns} columns{cut}: {whose}"
        verdicts.append(Verdict(target, None if beside is None else _ns(found), limit, "ns per event"))
    return verdicts


def _avro_verdicts(subject: Subject, results: Sequence[Result]) -> list[Verdict]:
    """Decoding beside other readers of the same messages of Avro."""
    if not subject.registered:
        return []
    verdicts = []
    cases = [("recorded", "update", 8), *(("synthetic", subject.kinds[0], width) for width in subject.widths)]
    cases += [("mixed", "update", 8), *((varied.ROWS, kind, 8) for kind, _ in subject.varied)]
    for rows, kind, columns in cases:
        wanted: dict[str, Any] = {"protocol": subject.name, "group": "decode", "batch": 1, "columns": columns}
        wanted |= {"rows": rows, "kind": kind}
        found = find(results, codec="tidewire", operation=ours.COLUMNS, **wanted)
        for whose, names, share in AVRO_SHARES:
            beside = next((one for name in names if (one := find(results, codec=name, **wanted))), None)
            target = f"{subject.title} decode {ours.COLUMNS}, {rows} {kind}s of {columns} columns: {share} of {whose}"
            measured = None if beside is None else _ns(found)
            note = "recorded on another machine" if beside and beside.codec == rust_peer.REGISTERED_RECORDED else ""
            limit = 0.0 if beside is None else share * beside.ns_min
            verdicts.append(Verdict(target, measured, limit, "ns per event", note))
    return verdicts


def _ns(result: Result | None) -> float | None:
    return None if result is None else result.ns_min


def _event_verdicts(results: Sequence[Result]) -> list[Verdict]:
    verdicts = []
    for batch in (1, 64):
        view = find(results, protocol="craft", codec="tidewire", operation=ours.VIEW, rows="recorded", batch=batch)
        whole = find(results, protocol="craft", codec="tidewire", operation=ours.EVENTS, rows="recorded", batch=batch)
        note = "" if whole is None else f"{whole.ns_min:,.0f} with decoding"
        target = f"events as Python objects, both rows as dicts, batches of {batch}"
        verdicts.append(Verdict(target, _ns(view), EVENT_NS, "ns per event", note))
    return verdicts


def _call_verdicts(subject: Subject, results: Sequence[Result]) -> list[Verdict]:
    """Small calls and event objects."""
    verdicts = []
    for group, operation, limit in (
        (calls.SINGLE, calls.CALL, CALL_NS),
        (calls.SINGLE, calls.CALL_ENCODE, CALL_NS),
        (calls.OBJECTS, calls.SHARED, OBJECT_NS),
    ):
        found = find(results, protocol=subject.name, codec="tidewire", group=group, operation=operation)
        verdicts.append(Verdict(f"{subject.title}, {group}: {operation}", _ns(found), limit, "ns per event"))
    return verdicts


def _interleaved_verdicts(subject: Subject, results: Sequence[Result]) -> list[Verdict]:
    verdicts = []
    for batch in subject.mixed_batches:
        wanted: dict[str, Any] = {"protocol": subject.name, "codec": "tidewire", "group": "decode", "batch": batch}
        one = find(results, rows="interleaved", tables=1, **wanted)
        for tables in subject.tables[1:]:
            many = find(results, rows="interleaved", tables=tables, **wanted)
            ratio = many.ns_min / one.ns_min if one and many else None
            note = f"{many.ns_min:,.0f} against {one.ns_min:,.0f} ns per event" if one and many else ""
            target = f"{subject.title}: {tables} interleaved tables against one, decode, batches of {batch}"
            verdicts.append(Verdict(target, ratio, INTERLEAVED_RATIO, "times one table's cost", note))
    return verdicts


def _varied_verdicts(subject: Subject, results: Sequence[Result]) -> list[Verdict]:
    """The shares of Go and of msgspec by hand once more, of varied rows: nothing of theirs was recorded elsewhere."""
    verdicts = []
    shares, (live_decode, _) = GO_SHARES[subject.protocol_name], GO_DECODES[subject.protocol_name]
    for kind, batch in subject.varied:
        wanted: dict[str, Any] = {"protocol": subject.name, "rows": varied.ROWS, "kind": kind, "batch": batch}
        head = f"varied {kind}s, batches of {batch}"
        for group, operation, beside in (
            ("decode", ours.COLUMNS, live_decode),
            ("encode", ours.FROM_COLUMNS, go_peer.ENCODE),
        ):
            if group == "decode" and not subject.go_decodes:
                continue
            found = find(results, group=group, codec="tidewire", operation=operation, **wanted)
            go = find(results, codec=go_peer.NAME, operation=beside, **wanted)
            whose = f"1/{shares[group]} of Go's" if go is None else f"1/{shares[group]} of Go's {go.ns_min:,.0f} ns"
            own = {"group": group, "codec": "tidewire", "operation": operation}
            known = find(results, **wanted | own | {"rows": "recorded"})
            note = "" if known is None or found is None else f"{found.ns_min / known.ns_min:.2f} times the recorded's"
            verdicts.append(
                Verdict(
                    f"{subject.title} {group} {operation}, {head}: {whose}",
                    None if go is None else _ns(found),
                    0.0 if go is None else go.ns_min / shares[group],
                    "ns per event",
                    note,
                )
            )
        if subject.hand in subject.varied_peers and (kind == "update" or subject.batches == (1,)):
            assert subject.hand is not None
            found = find(results, group="decode", codec="tidewire", operation=ours.COLUMNS, **wanted)
            hand = find(results, codec=subject.hand.name, operation=subject.hand.result, **wanted)
            target = f"{subject.title} decode {ours.COLUMNS}, {head}: 1/{HAND_SHARE} of msgspec by hand"
            limit = 0.0 if hand is None else hand.ns_min / HAND_SHARE
            verdicts.append(Verdict(target, None if hand is None else _ns(found), limit, "ns per event"))
    return verdicts


def _many_verdicts(subject: Subject, results: Sequence[Result]) -> list[Verdict]:
    """The most tables against one, in the order that costs more."""
    most = max(many.TABLES)
    verdicts = []
    for batch in subject.many_batches:
        for operation in (many.DECODED, ours.COLUMNS):
            wanted: dict[str, Any] = {"protocol": subject.name, "group": many.GROUP, "operation": operation}
            ratios = {}
            for order in (many.IN_TURN, many.SHUFFLED):
                one = find(results, rows=order, tables=1, batch=batch, **wanted)
                all_of_them = find(results, rows=order, tables=most, batch=batch, **wanted)
                if one and all_of_them:
                    ratios[all_of_them.ns_min / one.ns_min] = (
                        f"{order}, {all_of_them.ns_min:,.0f} against {one.ns_min:,.0f} ns per event"
                    )
            worst = max(ratios, default=None)
            target = f"{subject.title}: {most:,} tables against one, {operation}, batches of {batch}"
            note = "" if worst is None else ratios[worst]
            verdicts.append(Verdict(target, worst, MANY_RATIO, "times one table's cost", note))
    return verdicts


def _text_verdicts(results: Sequence[Result]) -> list[Verdict]:
    """Text with escapes, of every kind and length."""
    verdicts = []
    for kind in ESCAPED:
        for length in LENGTHS:
            rows = {"protocol": CANAL.name, "group": escapes.GROUP, "rows": escapes.rows_of(kind, length)}
            found = find(results, codec="tidewire", operation=ours.COLUMNS, **rows)
            copied = find(results, codec=escapes.COPY, **rows)
            speed = None if found is None else escapes.gigabytes_per_second(found)
            note = "" if not found or not copied else f"{copied.ns_min / found.ns_min:.2f} of memcpy's speed"
            target = f"{CANAL.title} decode {ours.COLUMNS}, {rows['rows']}"
            verdicts.append(Verdict(target, speed, TEXT_SPEED, "GB of messages a second", note, at_least=True))
    return verdicts


def _block_verdict(results: Sequence[Result]) -> Verdict:
    """What bytes of a schema block cost that all messages share."""
    found = blocks.cost(results)
    target = "Debezium: what a longer schema block costs, that all messages share, against comparing its bytes"
    note = "" if found is None else f"{found.length:,.0f} bytes more, keys included"
    measured, limit = (None, 0.0) if found is None else (found.decoded, found.compared)
    return Verdict(target, measured, limit, "ns per event", note)


def _start_verdicts(starts: Sequence[startup.Start]) -> list[Verdict]:
    """Imports and the shortest command, by the clock on the wall."""
    by_name = {start.what: start for start in starts}
    arrow = by_name.get(startup.ARROW)
    targets = [
        (what, None if arrow is None else arrow.wall + IMPORT_S, "pyarrow's own import and 0.1 s")
        for what in startup.IMPORTS
    ]
    verdicts = []
    for what, limit, allowed in (*targets, (startup.VERSION, VERSION_S, "0.2 s")):
        found = by_name.get(what)
        note = "" if found is None else f"CPU {found.cpu:.2f} s"
        measured = None if found is None or limit is None else found.wall
        verdicts.append(Verdict(f"a fresh process, {what}: {allowed}", measured, limit or 0.0, "s", note))
    return verdicts


def _spark_verdicts(spark: Sequence[dict[str, Any]]) -> list[Verdict]:
    by_name = {(entry["surface"], entry["batch"]): entry["ns_per_message_min"] for entry in spark}
    scan, rows = by_name.get(("scan", 1)), by_name.get(("typed rows", 1))
    measured = rows - scan if rows is not None and scan is not None else None
    note = "" if measured is None else f"{rows:,.0f} less the scan's {scan:,.0f}"
    verdicts = [
        Verdict("Spark: typed rows on top of the scan, one event a message", measured, SPARK_NS, "ns per message", note)
    ]
    compared_ways = (
        (CANAL.title, spark_json.TYPED, "from_json", spark_json.FROM_JSON, spark_json.TARGET),
        (f"{OPEN.title}, one event a message,", spark_open.TYPED, "from_json", spark_open.FROM_JSON, spark_open.TARGET),
        ("Simple", spark_simple.TYPED, "from_json", spark_simple.FROM_JSON, spark_simple.TARGET),
        ("Debezium", spark_debezium.TYPED, "from_json", spark_debezium.FROM_JSON, spark_debezium.TARGET),
        ("Avro", spark_registered.TYPED, "from_avro", spark_registered.FROM_AVRO, spark_registered.TARGET),
    )
    for title, own, function, by_spark, times in compared_ways:
        ours, theirs = by_name.get((own, 1)), by_name.get((by_spark, 1))
        share = ours / theirs if ours is not None and theirs is not None else None
        compared = (
            "" if share is None else f"{ours:,.0f} against {theirs:,.0f} ns per message, {1 / share:.1f} times as fast"
        )
        target = f"Spark: typed rows of {title} against {function} with casts"
        verdicts.append(Verdict(target, share, 1 / times, "of its time", compared))
    return verdicts


def _memory_verdict(report: Sequence[dict[str, int]]) -> Verdict:
    if not report:
        return Verdict("memory bounded by the batch", None, 1.25, "times the first batch's growth")
    worst = max(report, key=lambda entry: entry["growth_again"] / (entry["growth_once"] * 1.25 + memory.SLACK))
    allowed = worst["growth_once"] * 1.25 + memory.SLACK
    multiple = max(entry["growth_once"] / entry["batch_bytes"] for entry in report)
    return Verdict(
        f"memory bounded by the batch: peak after {worst['repeats']} batches of {worst['batch_bytes'] >> 20} MB",
        worst["growth_again"] / (1 << 20),
        allowed / (1 << 20),
        "MB above the start",
        f"one batch needs at most {multiple:.1f} times its message bytes",
    )
