"""Detects the protocol of messages, how certain it is, and further facts from their bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tidewire.messages.delivery.compression import NONE
from tidewire.messages.detecting.reading import Reading, Sample, own_options, read, sample
from tidewire.messages.detecting.reencode_check import fit
from tidewire.messages.detecting.signs import Signs
from tidewire.runtime.batch.roles import Roles
from tidewire.runtime.errors import OptionError
from tidewire.runtime.registered.errors import NEEDED, REMEDY

SURE = "sure"
LIKELY = "likely"
UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Detection:
    """The result of detection.

    Attributes:
        protocol: name of the protocol, as in `tidewire.protocols()`; None if the messages look like no known one.
        certainty: `sure`: at least half of the messages can be decoded, or are rows of tables without a description,
            and none can be decoded by another protocol. `likely`: fewer can, or some by another protocol, or they are
            only similar, such as records whose schemas are unavailable. `unknown`.
        messages: number of messages given.
        looked_at: number of messages examined.
        empty: number of messages seen without a value.
        read: number of messages that the protocol can decode.
        events: number of events in these.
        most_events: the most events in one message.
        compression: compression of the messages, or `none`.
        terminator: the text after every row in a value; may be empty.
        producers: producers that write such bytes; empty if no known one does.
        options: options of the producer that the bytes show, as strings under TiCDC's names for `Options.from_strings`.
            Options that are absent do not affect these messages, or cannot be detected.
        indifferent: options, boolean or about formats of values, that do not affect these messages.
        reading: the options among `options` that decoding needs.
        candidates: number of decodable messages by protocol.
        evidence: reasons, in sentences.
        likeness: the sentences of `evidence` about what the messages look like.
        problems: by protocol, the error of the first message that it cannot decode, if known.
        schemas: why record schemas are unavailable, and what to do; empty if none is missing.
    """

    protocol: str | None
    certainty: str
    messages: int
    looked_at: int
    empty: int
    read: int = 0
    events: int = 0
    most_events: int = 0
    compression: str = NONE
    terminator: str = ""
    producers: tuple[str, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)
    indifferent: tuple[str, ...] = ()
    reading: Mapping[str, str] = field(default_factory=dict)
    candidates: Mapping[str, int] = field(default_factory=dict)
    evidence: tuple[str, ...] = ()
    likeness: tuple[str, ...] = ()
    problems: Mapping[str, str] = field(default_factory=dict)
    schemas: str = ""

    @property
    def sure(self) -> bool:
        """Whether the protocol is certain."""
        return self.certainty == SURE


def detect(
    modules: Mapping[str, Any],
    values: Any,
    keys: Any,
    kinds: Mapping[str, int],
    roles: Roles,
    options: bool,
    known: Mapping[str, str],
    tables: Sequence[Any] = (),
) -> Detection:
    """Detects the protocol of messages.

    Args:
        modules: modules of the protocols, by name.
        values: values of the messages, or a single one.
        kinds: codes of the kinds of events.
        roles: event field names by role.
        options: whether to detect producer and options as well.
        known: options that cannot be detected from bytes: location of schemas, formats of values.
        tables: descriptions of tables that the messages themselves do not describe.

    Raises:
        TypeError: a value is not bytes.
        OptionError: an option has a value that the detected protocol does not accept; if none is detected, that no
            protocol accepts.
    """
    given = sample(values, keys)
    readings = {name: read(module, given, known, tables).advise() for name, module in modules.items()}
    candidates = {name: len(one.events) for name, one in readings.items()}
    judged = _judged(readings, given)
    name, certainty = judged.protocol, judged.certainty
    _check(modules if name is None else {name: modules[name]}, known)
    problems = {one: readings[one].short for one in judged.problematic}
    evidence = (*judged.likeness, *judged.reasons)
    if name is None or not readings[name].events:
        return Detection(
            name,
            certainty,
            given.messages,
            len(given.values),
            given.empty,
            candidates=candidates,
            evidence=evidence,
            likeness=judged.likeness,
            problems=problems,
            schemas=judged.schemas,
        )
    reading = readings[name]
    found = dict(reading.options)
    all_evidence = [*evidence, *_around(reading)]
    fitted = fit(reading, kinds, roles) if options else None
    if fitted is not None:
        found |= fitted.options
        all_evidence += fitted.evidence
    counts = reading.events.values()
    return Detection(
        name,
        certainty,
        given.messages,
        len(given.values),
        given.empty,
        len(counts),
        sum(counts),
        max(counts, default=0),
        reading.compression,
        reading.terminator,
        () if fitted is None else fitted.producers,
        found,
        () if fitted is None else fitted.indifferent,
        reading.options,
        candidates,
        tuple(all_evidence),
        judged.likeness,
        problems,
        judged.schemas,
    )


class _Judged(NamedTuple):
    """The protocol, the certainty, and the evidence."""

    protocol: str | None
    certainty: str
    likeness: tuple[str, ...]
    """Sentences about what the messages look like."""
    reasons: tuple[str, ...] = ()
    """Why they cannot be decoded, in sentences."""
    problematic: Sequence[str] = ()
    """The protocols whose problems are reported."""
    schemas: str = ""
    """Why schemas are unavailable."""


def _check(modules: Mapping[str, Any], known: Mapping[str, str]) -> None:
    """Refuses option values that none of the protocols accepts."""
    refused, taken = "", False
    for name, module in modules.items():
        try:
            taken = bool(own_options(module, known)) or taken
        except OptionError as error:
            text = str(error)
            refused = refused or (text if len(modules) == 1 else text.removeprefix(f"{name}: "))
    if refused and not taken:
        raise OptionError(refused)


def _around(reading: Reading) -> list[str]:
    """Sentences about compression and terminators."""
    found = []
    if reading.compression != NONE:
        found.append(f"they can be read when they are unpacked as {reading.compression}")
    if reading.terminator:
        found.append(f"rows are followed by {reading.terminator!r}")
    return found


def _judged(readings: Mapping[str, Reading], given: Sample) -> _Judged:
    """The verdict on the messages."""
    count = len(given.values)
    if not count:
        nothing = "there is no message" if not given.messages else "no message has a value"
        return _Judged(None, UNKNOWN, (nothing,))
    ranked = sorted(readings, key=lambda name: _rank(readings[name]))
    best = ranked[0]
    reads = len(readings[best].events)
    undescribed = len(readings[best].undescribed)
    others = [name for name in ranked[1:] if readings[name].eventful]
    if readings[best].eventful:
        sure = 2 * readings[best].understood >= count and not others
        why = [f"{reads} of {count} messages can be read as {best}"] if reads or not undescribed else []
        if undescribed:
            why.append(f"{undescribed} of {count} messages are rows of {best}, and no message describes their tables")
        if readings[best].unregistered:
            why.append(_without_schemas(readings[best], (best,), count))
        why += [f"{len(readings[name].events)} as {name}" for name in others]
        unread = [name for name in ranked[1:] if name not in others]
        none = [f"none as {name}: {readings[name].problem}" for name in unread]
        if readings[best].understood < count and readings[best].problem is not None:
            none.append(f"as {best} the first other one cannot: {readings[best].problem}")
            unread.insert(0, best)
        schemas = _needed(readings[best], (best,)) if readings[best].unregistered else ""
        return _Judged(best, SURE if sure else LIKELY, tuple(why), tuple(none), unread, schemas)
    alike = {name: _alike(readings[name].module.FACTS.signs, given) for name in ranked}
    known_by_start = 2 * len(readings[best].unregistered) >= count
    begin_so = len(readings[best].unregistered)
    likely = [one for one in ranked if known_by_start and len(readings[one].unregistered) == begin_so]
    unread = [name for name in ranked if readings[name].problem and name not in likely]
    reasons = tuple(f"not read as {name}: {readings[name].problem}" for name in unread)
    if known_by_start:
        why = [_without_schemas(readings[best], likely, count)]
        return _Judged(best, LIKELY, tuple(why), reasons, unread, _needed(readings[best], likely))
    if 2 * reads >= count:
        text = f"{reads} of {count} messages can be read as {best}, without events"
        return _Judged(best, LIKELY, (text,), reasons, unread)
    for name, seen in alike.items():
        if 2 * len(seen) >= count and readings[name].module.FACTS.signs.telling:
            text = f"{len(seen)} of {count} messages look like {name} ({seen[0]}), and none can be read"
            return _Judged(name, LIKELY, (text,), reasons, unread)
    begins = tuple(
        f"{len(seen)} of {count} look like {name} in this: {seen[0]}" for name, seen in alike.items() if seen
    )
    none_of = f"they look like none of {', '.join(sorted(readings))}"
    return _Judged(None, UNKNOWN, (none_of, *begins), reasons, unread)


def _rank(one: Reading) -> tuple[int, int, int]:
    """A sort key, smaller for more likely protocols; decodable messages count more than similar ones."""
    return -(one.eventful + len(one.unregistered)), -one.eventful, -one.understood


def _without_schemas(found: Reading, names: Sequence[str], count: int) -> str:
    """A sentence about records whose schemas are unavailable, and what to do.

    Args:
        found: how the likeliest protocol reads them.
        names: the protocols to which they may belong by their first bytes.
        count: how many messages were examined.
    """
    why = found.unavailable if found.registry else REMEDY
    these = f"{len(found.unregistered)} of {count} messages look like {' or '.join(names)}"
    return f"{these}, and their schemas cannot be had: {why}"


def _needed(found: Reading, names: Sequence[str]) -> str:
    """`_without_schemas` in one sentence, with the remedy first."""
    if found.registry:
        return f"the schemas of the messages are missing: {found.unavailable}"
    return f"the messages are {' or '.join(names)}, and need the schemas of a registry: {NEEDED}"


def _alike(signs: Signs, given: Sample) -> list[str]:
    """The signs of a protocol in the messages that show any."""
    parts = given.values if signs.part == "value" else given.keys or []
    return [text for part in parts if part is not None and (text := signs.seen(part)) is not None]
