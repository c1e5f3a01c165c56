"""One case through both: equal bytes, and each reads what the other wrote. What is TiCDC's is counted by its name."""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from tidewire import craft
from tidewire.runtime.errors import TidewireError

from .bridge import Flat, cells, made, ours, request, sent, theirs
from .cases import FLOAT, VECTOR, Case, Row
from .client import Oracle

FLOAT_DEFECT = "float-overwritten"
assert FLOAT_DEFECT in craft.DEFECTS
assert {"empty-text-becomes-null", "value-of-no-type-dropped", "decoder-loses-vectors"} == set(craft.DIFFERENCES)
VECTOR_LOST = "decoder-loses-vectors"
"""TiCDC's decoder takes every good vector for a bad one and gives null."""
NAN_PAYLOAD = "oracle-nan-payload"
"""The oracle's JSON writes a NaN without its payload; the bytes were compared before."""


class Different(Exception):
    """Something is not the same; the text says what."""


def messages_of(answer: dict[str, Any]) -> list[tuple[bytes | None, bytes, list[int]]]:
    """Key, value and numbers of events of an answer's messages.

    Raises:
        Different: TiCDC refused an event.
    """
    found = []
    for message in answer.get("messages") or []:
        if "error" in message:
            raise Different(f"TiCDC refuses events {message['events']}: {message['kind']}: {message['error']}")
        key = None if message["key"] is None else base64.b64decode(message["key"])
        found.append((key, base64.b64decode(message["value"] or ""), list(message["events"])))
    return found


def check(oracle: Oracle, case: Case, counts: Counter[str]) -> None:
    """Runs a case and counts what it came to.

    Raises:
        Different: ours and TiCDC's differ.
    """
    tables, events = request(case)
    answer = oracle.encode("craft", events, case.options, tables=tables, flush="run")
    options = craft.Options(
        **{name.replace("-", "_"): value for name, value in case.options.items()}, invalid_text="bytes"
    )
    try:
        mine = craft.encode(made(case), options)
    except TidewireError as error:
        raise Different(f"we refuse what TiCDC encodes: {error}") from None
    goes = messages_of(answer)
    truth = sent(case)
    counts["messages"] += len(goes)
    counts["events"] += len(truth)
    for flat in truth:
        counts[flat[0]] += 1
        counts["cells"] += len(cells(flat) or ())
    _grouping(mine, goes)
    floats = FLOAT in case.types()
    for number, (message, (key, value, _)) in enumerate(zip(mine, goes, strict=True)):
        if (message.key, message.value) == (key, value):
            counts["messages identical"] += 1
        elif floats and message.key == key and len(message.value or b"") == len(value):
            counts[f"messages {FLOAT_DEFECT}"] += 1
        else:
            raise Different(f"message {number}: {_first(value, message.value or b'')}")
    written = [value for _, value, _ in goes]
    _same("we read TiCDC's messages", truth, _decoded(written, options), counts, FLOAT if floats else None)
    if floats:
        _same("we read our messages", truth, _decoded([m.value for m in mine], options), counts)
    values = [message.value or b"" for message in mine]
    _same("TiCDC reads our messages", truth, theirs(oracle.decode("craft", values, wire=True)), counts, VECTOR)
    if all(not isinstance(event, Row) or event.table.sane for event in case.events):
        # It derives flags anew, from indexes that it guesses; the wire's own were compared above.
        found = [_flagless(flat) for flat in theirs(oracle.decode("craft", values))]
        wanted = [_flagless(flat) for flat in truth]
        _same("TiCDC's public decoder reads our messages", wanted, found, Counter(), VECTOR)
        counts["events through TiCDC's public decoder"] += len(truth)


def _decoded(values: Sequence[bytes | None], options: craft.Options) -> list[Flat]:
    events = craft.decode_batch(values, None, options)
    if events.errors:
        raise Different(f"we cannot decode message {events.errors[0].message}: {events.errors[0]}")
    return ours(events)


def _grouping(mine: Sequence[craft.Message], goes: Sequence[tuple[bytes | None, bytes, list[int]]]) -> None:
    grouped = [list(range(m.first_event, m.first_event + m.events)) for m in mine]
    wanted = [numbers for _, _, numbers in goes]
    if grouped != wanted:
        raise Different(f"events are gathered otherwise: TiCDC {_spans(wanted)}, we {_spans(grouped)}")


def _spans(groups: Sequence[Sequence[int]]) -> str:
    return " ".join(f"{group[0]}-{group[-1]}" if group else "none" for group in groups[:40])


def _first(wanted: bytes, got: bytes) -> str:
    at = next((k for k, (w, g) in enumerate(zip(wanted, got, strict=False)) if w != g), min(len(wanted), len(got)))
    start = max(0, at - 12)
    shown = [f"{data[start : at + 20].hex(' ')} ({len(data)} bytes)" for data in (wanted, got)]
    whole = f"  whole {wanted[:400].hex()}\n        {got[:400].hex()}"
    return f"bytes differ at {at}\n  TiCDC {shown[0]}\n  ours  {shown[1]}\n{whole}"


def _same(
    what: str, wanted: Sequence[Flat], got: Sequence[Flat], counts: Counter[str], excused: int | None = None
) -> None:
    """Compares event by event, and cell by cell where values of one type may differ."""
    if len(wanted) != len(got):
        error = next((flat[1] for flat in got if flat[0] == "error"), "")
        raise Different(f"{what}: {len(wanted)} events, {len(got)} came out {error}")
    for number, (w, g) in enumerate(zip(wanted, got, strict=True)):
        if w == g:
            continue
        if excused is None or w[:5] != g[:5] or len(w) != 7 or len(g) != 7:
            raise Different(f"{what}: event {number}:\n  is   {_show(w)}\n  read {_show(g)}")
        _cells(f"{what}: event {number}", w, g, counts, excused)


def _cells(place: str, wanted: Flat, got: Flat, counts: Counter[str], excused: int) -> None:
    one, other = cells(wanted) or (), cells(got) or ()
    if [cell[:3] for cell in one] != [cell[:3] for cell in other] or (wanted[5] is None) != (got[5] is None):
        raise Different(f"{place}: columns:\n  is   {_show(wanted)}\n  read {_show(got)}")
    for w, g in zip(one, other, strict=True):
        if w == g:
            continue
        if w[1] == excused == FLOAT and w[3][:4] == g[3][:4]:
            # What was written after it took its last four bytes; the first four are its own.
            counts[f"cells {FLOAT_DEFECT}"] += 1
        elif w[1] == excused == VECTOR and g[3] is None:
            counts[f"cells {VECTOR_LOST}"] += 1
        elif excused == VECTOR and isinstance(w[3], bytes) and _nan(w[3]) and _nan(g[3]):
            counts[f"cells {NAN_PAYLOAD}"] += 1
        else:
            raise Different(f"{place}: column {w[:3]}: is {w[3]!r}, read {g[3]!r}")


def _flagless(flat: Flat) -> Flat:
    if len(flat) != 7:
        return flat
    images = [image and tuple((name, kind, 0, value) for name, kind, _, value in image) for image in flat[5:]]
    return *flat[:5], *images


def _nan(data: Any) -> bool:
    return isinstance(data, bytes) and len(data) == 8 and data[6:] in (b"\xf8\x7f", b"\xf8\xff")


def _show(flat: Flat) -> str:
    return repr(flat)[:1500]


def smallest(case: Case, fails: Callable[[Case], bool], tries: int = 400) -> Case:
    """The case with every event taken away that it fails without, then every option; it fails still."""
    step = max(1, len(case.events) // 2)
    while step and tries:
        first = 0
        while first < len(case.events) and tries:
            less = case.without(first, step)
            tries -= 1
            if less.events and fails(less):
                case = less
            else:
                first += step
        step //= 2
    for name in list(case.options):
        less = Case(case.name, {k: v for k, v in case.options.items() if k != name}, case.events)
        if fails(less):
            case = less
    return case
