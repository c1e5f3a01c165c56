"""Runs one case through both codecs: messages must be equal, and each decodes the other's. TiCDC's defects are counted
by name.
"""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from tidewire.runtime.errors import TidewireError

from .bridge import made, ours, request, theirs
from .cases import Case
from .client import Oracle
from .protocols import Found, Protocol, Reader, Sent


class Different(Exception):
    """Something is not the same; the text says what."""


class Refused(NamedTuple):
    """Events that TiCDC refuses, together where they go together."""

    events: list[int]
    error: str
    """What it says; behind `panic: ` where it crashed."""


def messages_of(
    answer: dict[str, Any], may: Callable[[str], bool] = lambda _: False
) -> tuple[list[Sent], list[Refused]]:
    """An answer's messages, and the events that were refused.

    Args:
        answer: the oracle's.
        may: which errors are refusals.

    Raises:
        Different: TiCDC failed in another way.
    """
    found: list[Sent] = []
    refused: list[Refused] = []
    for message in answer.get("messages") or []:
        if "error" not in message:
            key = None if message["key"] is None else base64.b64decode(message["key"])
            found.append(Sent(key, base64.b64decode(message["value"] or ""), list(message["events"])))
            continue
        error = f"panic: {message['error']}" if message["kind"] == "panic" else message["error"]
        if not may(error):
            raise Different(f"TiCDC refuses events {message['events']}: {error}")
        refused.append(Refused(message["events"], error))
    return found, refused


def check(oracle: Oracle, protocol: Protocol, case: Case, counts: Counter[str]) -> None:
    """Runs a case and counts what it came to.

    Raises:
        Different: ours and TiCDC's differ.
    """
    case = protocol.prepared(case)
    tables, events = request(case)
    options = case.options
    answer = oracle.encode(
        protocol.protocol_name, events, protocol.asked(options), tables=tables, flush=protocol.flush(options)
    )
    goes, refused = messages_of(answer, protocol.refused)
    protocol.received(answer)
    if refused:
        _refused(protocol, case, refused, counts)
        # Once more without them: they may have parted what belongs together.
        check(oracle, protocol, case.apart_from({n for together in refused for n in together.events}), counts)
        return
    plain = protocol.plain(oracle, [sent.value for sent in goes], options)
    wanted = [
        [
            found
            for n, part in zip(sent.events, protocol.each(sent, whole), strict=True)
            if (found := protocol.found(case.events[n], options, part)) is not None
        ]
        for sent, whole in zip(goes, plain, strict=True)
    ]
    truth = [found for of_message in wanted for found in of_message]
    read = _decoded(protocol, goes, options)
    declined = _declined(protocol, case, counts)
    # What is checked once more without some events is counted then.
    counted = Counter[str]() if declined else counts
    _same(protocol, "theirs", "we read TiCDC's messages", truth, ours(protocol, read), counted)
    if protocol.rewriting(case) is not None:
        _again(oracle, protocol, case, read, goes, counted)
    if declined:
        check(oracle, protocol, case.apart_from(declined), counts)
        return
    try:
        mine = protocol.encoded(made(protocol, case), options, case)
    except TidewireError as error:
        raise Different(f"we refuse what TiCDC encodes: {error}") from None
    counts["messages"] += len(goes)
    _grouping(mine, goes)
    _messages(oracle, protocol, case, mine, goes, counts)
    if protocol.differs():
        raise Different(protocol.differs())
    counts["events"] += len(truth)
    for found in truth:
        counts[found.kind] += 1
        counts["cells"] += len(found.cells())
    own = [Sent(message.key, message.value or b"", []) for message in mine]
    if [sent[:2] for sent in goes] != [sent[:2] for sent in own]:
        again = ours(protocol, _decoded(protocol, own, options))
        _same(protocol, "ours", "we read our messages", truth, again, counts)
    for reader in protocol.readers:
        _read(oracle, protocol, reader, case, goes, own, wanted, counts)


def _declined(protocol: Protocol, case: Case, counts: Counter[str]) -> set[int]:
    """The numbers of the events that ours refuses for a reason with a name, counted by it; TiCDC has taken them."""
    found = set()
    for number, event in enumerate(case.events):
        name = protocol.declined(event)
        if name is None:
            continue
        try:
            protocol.encoded(made(protocol, replace(case, events=(event,))), case.options, case)
        except TidewireError:
            counts[f"events {name}"] += 1
            found.add(number)
    return found


def _again(
    oracle: Oracle, protocol: Protocol, case: Case, read: Any, goes: Sequence[Sent], counts: Counter[str]
) -> None:
    """What was read of TiCDC's messages becomes the same messages again."""
    try:
        again = protocol.encoded(read, protocol.rewriting(case) or {}, case)
        _messages(oracle, protocol, case, again, goes, Counter(), protocol.readable)
    except (TidewireError, Different) as error:
        raise Different(f"what we read is not written as it was: {error}") from None
    counts["messages written again"] += len(goes)


def _refused(protocol: Protocol, case: Case, groups: Sequence[Refused], counts: Counter[str]) -> None:
    for numbers, reason in groups:
        alone = replace(case, events=tuple(case.events[n] for n in numbers))
        try:
            protocol.encoded(made(protocol, alone), case.options, case)
        except TidewireError:
            counts["events refused by both"] += len(numbers)
        else:
            name = protocol.taken(case.options, reason)
            if name is None:
                raise Different(f"TiCDC refuses events {numbers}, we do not: {reason}")
            counts[name] += len(numbers)


def _messages(
    oracle: Oracle,
    protocol: Protocol,
    case: Case,
    mine: Sequence[Any],
    goes: Sequence[Sent],
    counts: Counter[str],
    before: Callable[[bytes], bytes] = lambda value: value,
) -> list[bytes]:
    """Compares the messages; TiCDC's without their compression.

    Args:
        oracle: takes compression away.
        protocol: says when messages are the same.
        case: what they are messages of.
        mine: ours.
        goes: TiCDC's.
        counts: of messages that are the same.
        before: what is done to TiCDC's before they are compared.

    Returns:
        TiCDC's, plain.
    """
    both = protocol.plain(oracle, [sent.value for sent in goes] + [m.value or b"" for m in mine], case.options)
    plain = both[: len(goes)]
    for number, (message, sent) in enumerate(zip(mine, goes, strict=True)):
        value, own = before(plain[number]), both[len(goes) + number]
        if message.key == sent.key and value == own:
            counts["messages identical"] += 1
            continue
        alike = protocol.same_key(sent.key, message.key, case)
        name = protocol.same(value, own, case) if alike else None
        if name is None:
            part, one, other = ("value", value, own) if alike else ("key", sent.key or b"", message.key or b"")
            raise Different(f"message {number}, {part}: {_first(one, other)}")
        counts[name] += 1
    return plain


def _decoded(protocol: Protocol, messages: Sequence[Sent], options: Any) -> Any:
    keys = [sent.key for sent in messages] if any(sent.key is not None for sent in messages) else None
    events = protocol.decoded([protocol.value(sent) for sent in messages], keys, options)
    if events.errors:
        raise Different(f"we cannot decode message {events.errors[0].message}: {events.errors[0]}")
    return events


def _read(
    oracle: Oracle,
    protocol: Protocol,
    reader: Reader,
    case: Case,
    goes: Sequence[Sent],
    own: Sequence[Sent],
    wanted: Sequence[Sequence[Found]],
    counts: Counter[str],
) -> None:
    """TiCDC reads our messages, those that it can."""
    able = [
        len(found) == len(sent.events)  # else nothing is told of an event
        and all(reader.takes(case.events[n], f, case.options) for n, f in zip(sent.events, found, strict=True))
        for sent, found in zip(goes, wanted, strict=True)
    ]
    if reader.whole and not all(able):
        return
    chosen = [sent for sent, can in zip(own, able, strict=True) if can]
    truth = [found for of_message, can in zip(wanted, able, strict=True) if can for found in of_message]
    if not chosen:
        return
    options, claims = protocol.reading(case.options), protocol.beside(case.options)
    keys, values = [sent.key for sent in chosen], [protocol.value(sent) for sent in chosen]
    registry = protocol.registered()
    name = protocol.protocol_name
    read = oracle.decode(name, values, options, claims=claims, keys=keys, registry=registry, **reader.arguments)
    answer = theirs(read)
    seen = [found if found.kind == "error" else reader.sees(found, case.options) for found in answer]
    expected = [reader.sees(found, case.options) for found in truth]
    _same(protocol, reader.title, f"{reader.title} reads our messages", expected, seen, counts, truth)
    counts[f"events through {reader.title}"] += len(truth)


def _grouping(mine: Sequence[Any], goes: Sequence[Sent]) -> None:
    grouped = [list(range(m.first_event, m.first_event + m.events)) for m in mine]
    wanted = [sent.events for sent in goes]
    if grouped != wanted:
        raise Different(f"events are gathered otherwise: TiCDC {_spans(wanted)}, we {_spans(grouped)}")


def _spans(groups: Sequence[Sequence[int]]) -> str:
    return " ".join(f"{group[0]}-{group[-1]}" if group else "none" for group in groups[:40])


def _first(wanted: bytes, got: bytes) -> str:
    at = next((k for k, (w, g) in enumerate(zip(wanted, got, strict=False)) if w != g), min(len(wanted), len(got)))
    start = max(0, at - 12)
    if wanted[:1] == b"{":
        shown = [f"{data[max(0, at - 40) : at + 60]!r} ({len(data)} bytes)" for data in (wanted, got)]
        whole = f"  whole {wanted[:3000]!r}\n        {got[:3000]!r}"
    else:
        shown = [f"{data[start : at + 20].hex(' ')} ({len(data)} bytes)" for data in (wanted, got)]
        whole = f"  whole {wanted[:400].hex()}\n        {got[:400].hex()}"
    return f"bytes differ at {at}\n  TiCDC {shown[0]}\n  ours  {shown[1]}\n{whole}"


def _same(
    protocol: Protocol,
    stage: str,
    what: str,
    wanted: Sequence[Found],
    got: Sequence[Found],
    counts: Counter[str],
    truth: Sequence[Found] | None = None,
) -> None:
    """Compares event by event, and cell by cell where a difference may have a name."""
    if len(wanted) != len(got):
        error = next((found.more for found in got if found.kind == "error"), "")
        raise Different(f"{what}: {len(wanted)} events, {len(got)} came out {error}")
    for number, (w, g) in enumerate(zip(wanted, got, strict=True)):
        if w == g:
            continue
        place = f"{what}: event {number}"
        if w._replace(new=None, old=None) != g._replace(new=None, old=None):
            raise Different(f"{place}:\n  is   {_show(w)}\n  read {_show(g)}")
        described = {cell.name: cell for cell in (truth or wanted)[number].cells()}
        _cells(protocol, stage, place, w, g, counts, described)


def _cells(
    protocol: Protocol, stage: str, place: str, wanted: Found, got: Found, counts: Counter[str], described: Any
) -> None:
    one, other = wanted.cells(), got.cells()
    if [cell[:4] for cell in one] != [cell[:4] for cell in other] or (wanted.new is None) != (got.new is None):
        raise Different(f"{place}: columns:\n  is   {_show(wanted)}\n  read {_show(got)}")
    for w, g in zip(one, other, strict=True):
        if w == g:
            continue
        name = protocol.excuse(stage, described[w.name]._replace(value=w.value), g)
        if name is None:
            raise Different(f"{place}: column {described[w.name][:4]}: is {w.value!r}, read {g.value!r}")
        counts[name] += 1


def _show(found: Found) -> str:
    return repr(tuple(found))[:1500]


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
