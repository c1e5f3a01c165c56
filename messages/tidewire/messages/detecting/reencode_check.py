"""Finds the producer and the options that would have written these messages, by encoding their events again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from tidewire.messages.delivery.compression import NONE, CompressionError
from tidewire.messages.delivery.items import Packing
from tidewire.messages.detecting.reading import MOST_UNPACKED, Reading, Sample, decoder_of, objects, read, without
from tidewire.messages.options import COMPUTE_CHECKSUM, INVALID_TEXT, VERIFY_CHECKSUM, OptionSpec
from tidewire.messages.registry import MemorySchemas
from tidewire.runtime.arrow import compute as pc
from tidewire.runtime.batch import EventColumns
from tidewire.runtime.batch.roles import LOCATION, PARTIAL, Roles
from tidewire.runtime.dissecting.registered import HEADER
from tidewire.runtime.errors import OptionError, TidewireError
from tidewire.runtime.shortened import shown

MOST_MESSAGES = 24
"""The most messages that are encoded again."""
MOST_WRITTEN = 1 << 22
"""The most bytes that are encoded again, counting each choice of options; with wide tables these are few messages."""
FIRST_LOOK = 4
"""After this many messages, options that fit worse than others are dropped."""
MOST_SWITCHES = 7
"""The most boolean options that are tried in all combinations."""
MOST_EXPLAINED = 16
"""The most choices of options for which the cause of a difference is determined."""
BEFORE, BEHIND = 12, 36
"""The bytes shown before and after a difference."""
OWN = (VERIFY_CHECKSUM.name, COMPUTE_CHECKSUM.name)
"""Options that do not belong to producers."""
FRAMING = f"{HEADER}/"
"""The prefix of the paths of the bytes before a record."""


@dataclass(slots=True)
class Fit:
    """What the messages show about their producer.

    Attributes:
        tried: how many messages were encoded again.
        same: how many of them were reproduced.
        producers: the producers that write them in this way.
        options: the options that the bytes determine, by their names in the configuration.
        indifferent: options that make no difference to these messages.
        evidence: the reasons, in sentences.
    """

    tried: int = 0
    same: int = 0
    producers: tuple[str, ...] = ()
    options: dict[str, str] = field(default_factory=dict)
    indifferent: tuple[str, ...] = ()
    evidence: list[str] = field(default_factory=list)
    best: Any = None
    """The first options that reproduce the most messages; None if none reproduces any."""


class _Message:
    """A message, its events, and how it is compared with what is written again."""

    def __init__(
        self, value: bytes, key: bytes | None, columns: EventColumns, reading: Reading, own: Any, written: Any
    ) -> None:
        """Args:
            value, key: value and key of the message.
            reading: the result of decoding all messages.
            own: the registry with the schemas of its records; None: there is no registry.
            written: the registry for the schemas of re-encoded records.
        """
        self.columns = columns
        self._dissect = None if written is None else reading.module.dissect
        self._written = written
        self._fields = self._content(value, key, own)
        self._judged: dict[tuple[bytes | None, bytes | None], bool] = {}  # many options give the same bytes
        self._value = value
        self._keyed = reading.module.FACTS.keyed
        self._key = key
        self._end = reading.terminator
        self._records = reading.module.FACTS.records if reading.encoded else None
        random = reading.module.FACTS.random
        self._loose = bool(random)
        self._paths = [path for path, what, _ in random.values() if what == "value"]
        self._meant = self._plain(value)

    def is_written(self, value: bytes | None, key: bytes | None) -> bool:
        """Whether value and key are equivalent to the message: ignoring the order of members and random members where
        producers vary them, and schema ids and branch numbers where a registry has the schemas.
        """
        if self._dissect is not None:
            if (value, key) not in self._judged:
                self._judged[value, key] = self._content(value, key, self._written) == self._fields
            return self._judged[value, key]
        if self._keyed and key != self._key:
            return False
        if value == self._value:
            return True
        return value is not None and self._meant is not None and self._plain(value) == self._meant

    def difference(self, value: bytes, key: bytes | None) -> tuple[int, str]:
        """The length of the equal part, and the place of the first difference."""
        if self._dissect is not None:
            content = self._content(value, key, self._written)
            at = _shared(self._fields, content)
            part, path, own = (self._fields if at < len(self._fields) else content)[at]
            return at, f"{part} {path} is {shown(own)} in the message" if at < len(
                self._fields
            ) else f"it has no {path}"
        at = _shared(self._value, value)
        if at == len(self._value) == len(value):
            return at, "it has no key, and would be written with one" if self._key is None else "its key differs"
        own, other = (
            shown(one[max(at - BEFORE, 0) : at + BEHIND].decode(errors="replace")) for one in (self._value, value)
        )
        return at, f"from offset {at} it has {own}, and would be written with {other}"

    def _content(self, value: bytes | None, key: bytes | None, schemas: Any) -> list[Any]:
        """The fields of a message with registered schemas, with their values."""
        if self._dissect is None:
            return []
        spans = self._dissect(value, key, schemas=schemas)
        return [(one.part, one.path, one.value) for one in spans if not one.path.startswith(FRAMING)]

    def _plain(self, value: bytes) -> list[Any] | None:
        if self._records is not None:
            content = self._records.content(value)
            paths = [path for path, what, _ in self._records.random.values() if what == "value"]
            return None if content is None else sorted(one for one in content if one[0] not in paths)
        if not self._loose:
            return None
        try:
            return [without(one, self._paths) for one in objects(value.decode(), self._end)]
        except (ValueError, RecursionError):
            return None


def _shared(one: Sequence[Any], other: Sequence[Any]) -> int:
    """The length of the common prefix of both."""
    return next(
        (at for at, (own, its) in enumerate(zip(one, other, strict=False)) if own != its), min(len(one), len(other))
    )


def _cause(module: Any, reading: Reading) -> str:
    """Why no message was reproduced."""
    keys_are_gone = module.FACTS.keyed and not any(reading.keys or ())
    return "they have no keys, or are not TiCDC's own" if keys_are_gone else "they are not TiCDC's own"


def _unlike(module: Any, candidates: Sequence[Any], message: _Message, given: Mapping[str, Any]) -> str:
    """Why a message is not reproduced: the first difference with the options that come closest."""
    best, why = -1, ""
    for options in candidates[:MOST_EXPLAINED]:
        try:
            batch = module.Encoder(options, **given).encode(message.columns)
        except TidewireError as error:
            why = why or str(error)
            continue
        if batch.num_rows != 1:
            why = why or f"its events would be written as {batch.num_rows} messages"
            continue
        same, text = message.difference(*(batch.column(name)[0].as_py() for name in ("value", "key")))
        if same > best:
            best, why = same, text
    return why


def fit(reading: Reading, kinds: Mapping[str, int], roles: Roles) -> Fit:
    """What decodable messages show about their producer.

    Args:
        reading: the result of decoding.
        kinds: codes of the kinds of events.
        roles: event field names by role.
    """
    module = reading.module
    if not module.FACTS.writes:
        return Fit(evidence=["producer and options stay unknown: the protocol has no encoder to compare messages with"])
    written = None if module.FACTS.registry is None else MemorySchemas()
    candidates = _candidates(module, reading)
    most = MOST_WRITTEN // len(candidates)
    chosen = _messages(reading, written, most)
    found = Fit(tried=len(chosen))
    schemas = {} if written is None else {"schemas": written}
    best = _best(module, candidates, chosen, schemas)
    if best:
        found.same = best[0][0]
    cut = _cuts(reading, kinds, roles)
    fitting = [options for _, options in best if all(getattr(options, name) for name in cut)] or [o for _, o in best]
    if not found.same:
        fitting = []
    found.best = fitting[0] if fitting else None
    found.producers = tuple(dict.fromkeys(options.producer for options in fitting))
    if chosen and fitting:
        found.evidence.append(
            f"{found.same} of {found.tried} messages come out the same when their events are encoded again as "
            f"{' or '.join(found.producers)}"
        )
    elif not chosen and any(len(reading.values[message] or b"") > most for message in reading.events):
        found.evidence.append(
            f"no message is encoded again, which would tell producer and options: they are longer than {most:,} bytes"
        )
    elif chosen:
        found.evidence.append(
            f"none of {found.tried} messages comes out the same when its events are encoded again as "
            f"{' or '.join(module.FACTS.producers)}: {_cause(module, reading)}. The first: "
            f"{_unlike(module, candidates, chosen[0], schemas)}. It does not matter for reading them"
        )
    _tell(module, fitting, cut, found)
    _large(module, reading, found)
    return found


def _tell(module: Any, fitting: Sequence[Any], cut: Mapping[str, str], found: Fit) -> None:
    """Records the options on which all fitting candidates agree."""
    indifferent: list[str] = []
    modes = _modes(module)
    for one in module.OPTIONS:
        if one.name in OWN or (one.type != "bool" and one not in modes):
            continue
        values = {getattr(options, one.python_name) for options in fitting}
        if one in modes:
            _tell_mode(one, values, found, indifferent)
            continue
        if one.python_name in cut:
            found.options[one.name] = "true"
            found.evidence.append(f"{one.name}=true: {cut[one.python_name]}")
        elif values == {True}:
            found.options[one.name] = "true"
            found.evidence.append(f"{one.name}=true: without it these events are other bytes")
        elif values == {False}:
            found.options[one.name] = "false"
        else:
            indifferent.append(one.name)
    found.indifferent = tuple(indifferent)
    unset = [name for name, value in found.options.items() if value == "false"]
    if unset:
        found.evidence.append(f"not set, for these events would be other bytes: {', '.join(unset)}")


def _tell_mode(one: OptionSpec, values: set[Any], found: Fit, indifferent: list[str]) -> None:
    """Records an option about formats of values, if the messages show it.

    Args:
        values: choices that reproduce the messages.
        found: receives the option.
        indifferent: receives options that do not affect these messages.
    """
    if len(values) != 1:
        indifferent.append(one.name)
        return
    (value,) = values
    found.options[one.name] = value
    if value != one.default:
        found.evidence.append(f"{one.name}={value}: without it these events are other bytes")


def _modes(module: Any) -> list[OptionSpec]:
    """Options that select how values are written, for schemas in a registry."""
    if module.FACTS.registry is None:
        return []
    return [one for one in module.OPTIONS if one.type == "choice" and one.name not in ("producer", INVALID_TEXT.name)]


def _large(module: Any, reading: Reading, found: Fit) -> None:
    """Records how rows that were too long were handled, if events show it."""
    columns = reading.columns
    if columns is None:
        return
    large = module.FACTS.large
    for choice, way in () if large is None else large.ways.items():
        marks = columns.events.column(way.mark)
        if not way.stored:
            marks = pc.equal(marks, 1)
            count = pc.sum(pc.fill_null(marks, False)).as_py() or 0
        else:
            count = len(marks) - marks.null_count
        if count:
            found.options[large.option] = choice
            found.evidence.append(f"{large.option}={choice}: {count} events say {way.mark}")


def _messages(reading: Reading, written: Any, most: int) -> list[_Message]:
    """Some messages of every kind of event and table.

    Args:
        reading: all messages.
        written: receives the schemas of records that are written again; None: there is no registry.
        most: the most bytes of the messages.
    """
    columns = reading.columns
    if columns is None:
        return []
    events = columns.events
    first: dict[int, tuple[int, int]] = {}
    numbers, kinds, tables = (events.column(name).to_pylist() for name in ("message", "kind", "table"))
    for message, kind, table in zip(numbers, kinds, tables, strict=True):
        if message in reading.events:
            first.setdefault(message, (kind, table))
    # the first of each kind and table, then the second of each, and so on
    seen: Counter[tuple[int, int]] = Counter()
    ranked = []
    for message, sort in first.items():
        ranked.append((seen[sort], message))
        seen[sort] += 1
    module = reading.module
    options = {"invalid-text": "bytes", **reading.known}
    options |= {name: value for name, value in reading.options.items() if name != module.FACTS.compression}
    decoder = decoder_of(module, options, reading.tables)
    own = None if module.FACTS.registry is None else decoder.schemas
    found = []
    for _, message in sorted(ranked):
        value = reading.values[message]
        if value is not None and len(value) <= most:
            most -= len(value)
            key = None if reading.keys is None else reading.keys[message]
            found.append(_Message(value, key, decoder.attempt([value], [key]), reading, own, written))
            if len(found) == MOST_MESSAGES:
                break
    return found


class Rewriter:
    """Encodes single messages again, in the style of the producer that a sample indicates.

    Args:
        given: the sample.
        known: options that cannot be detected.
        tables: known table descriptions.
        kinds: codes of the kinds of events.
        roles: event field names by role.

    Attributes:
        fit: the producer and its options.
    """

    def __init__(
        self,
        module: Any,
        given: Sample,
        known: Mapping[str, str],
        tables: Sequence[Any],
        kinds: Mapping[str, int],
        roles: Roles,
    ) -> None:
        self._reading = read(module, given, known, tables)
        self.fit = fit(self._reading, kinds, roles)
        options = {"invalid-text": "bytes", **known, **self._reading.options}
        self._compression = options.pop(module.FACTS.compression or "", NONE)
        self._decoder = decoder_of(module, options, tables)
        self._packing = Packing(self._compression, module.FACTS.item_prefix)
        self._written = None if module.FACTS.registry is None else MemorySchemas()
        schemas = {} if self._written is None else {"schemas": self._written}
        self._encoder = None if self.fit.best is None else module.Encoder(self.fit.best, **schemas)

    def same(self, value: bytes | None, key: bytes | None) -> bool | None:
        """Whether a message is reproduced, apart from random content; None if it has no events, or no known producer
        writes such messages.
        """
        if value is None or self._encoder is None:
            return None
        try:
            plain = value if self._compression == NONE else self._packing.unpack(value, MOST_UNPACKED)
            packed = self._reading.module.FACTS.packed_keys and key is not None and self._compression != NONE
            own_key = Packing(self._compression).unpack(key or b"", MOST_UNPACKED) if packed else key
        except CompressionError:
            return None
        columns = self._decoder.attempt([plain], [own_key])
        if columns.errors or not columns.num_events:
            return None
        own = None if self._written is None else self._decoder.schemas
        message = _Message(plain, own_key, columns, self._reading, own, self._written)
        return _written(self._encoder, message)


def _best(
    module: Any, candidates: Sequence[Any], chosen: Sequence[_Message], given: Mapping[str, Any]
) -> list[tuple[int, Any]]:
    """The options that reproduce the most messages, each with the number of them.

    Args:
        candidates: options to try.
        chosen: messages to try them with.
        given: further arguments of the encoder.
    """
    scores = dict.fromkeys(range(len(candidates)), 0)
    encoders = [module.Encoder(options, **given) for options in candidates]
    done = 0
    for some in (chosen[:FIRST_LOOK], chosen[FIRST_LOOK:]):
        for message in some:
            for number in scores:
                scores[number] += _written(encoders[number], message)
        done += len(some)
        most = max(scores.values(), default=0)
        scores = {number: score for number, score in scores.items() if score == most}
    return [(score, candidates[number]) for number, score in scores.items()]


def _written(encoder: Any, message: _Message) -> bool:
    try:
        batch = encoder.encode(message.columns)
    except TidewireError:
        return False
    return batch.num_rows == 1 and message.is_written(*(batch.column(name)[0].as_py() for name in ("value", "key")))


def _candidates(module: Any, reading: Reading) -> list[Any]:
    """The options of every producer, with all combinations of boolean options and of those that select how values are
    written.
    """
    switches = [one for one in module.OPTIONS if one.type == "bool" and one.name not in OWN][:MOST_SWITCHES]
    modes = _modes(module)
    found: dict[Any, None] = {}
    for producer in module.FACTS.producers:
        own = [one for one in module.OPTIONS if one.has(producer)]
        limits = {one.python_name: one.range[1] for one in own if one.type == "int" and one.range}
        if reading.terminator:
            limits[module.FACTS.terminator.replace("-", "_")] = reading.terminator
        if reading.encoded:
            limits[module.FACTS.records.option.replace("-", "_")] = reading.encoded
        for values in product(*[(False, True)] * len(switches), *(one.choices for one in modes)):
            chosen = {one.python_name: value for one, value in zip([*switches, *modes], values, strict=True)}
            try:
                # an option implied by another is set with it: equal options are tried once
                found[module.Options(producer=producer, **chosen, **limits)] = None
            except OptionError:
                continue
    return list(found)


def _cuts(reading: Reading, kinds: Mapping[str, int], roles: Roles) -> dict[str, str]:
    """Options that remove columns from row images, by field name, each with the reason; only if images lack columns."""
    columns = reading.columns
    found: dict[str, str] = {}
    if columns is None:
        return found
    for one in reading.module.OPTIONS:
        if one.keeps is not None:
            count = _lacking(columns, kinds[one.keeps.event], one.keeps, roles)
            if count:
                has = (
                    "only columns with the flag that it keeps" if one.keeps.flag else "fewer columns than the other one"
                )
                found[one.python_name] = f"the {one.keeps.image} image of {count} {one.keeps.event}s has {has}"
    return found


def _lacking(columns: EventColumns, kind: int, keeps: Any, roles: Roles) -> int:
    """How many events of a kind lack columns that an option omits, without another known reason."""
    events = columns.events
    names = ("kind", roles[PARTIAL], roles[LOCATION], "new_layout", "old_layout")
    widest: dict[int, int] = {}
    for layout in columns.layouts:
        widest[layout.table] = max(widest.get(layout.table, 0), len(layout.columns))
    found = 0
    for own, partial, claim, new, old in zip(*(events.column(name).to_pylist() for name in names), strict=True):
        if own != kind or partial or claim is not None:
            continue
        image, other = (old, new) if keeps.image == "old" else (new, old)
        if image < 0:
            continue
        layout = columns.layouts[image]
        if keeps.flag:
            kept = all(column.flags & keeps.flag for column in layout.columns)
            found += kept and len(layout.columns) < widest[layout.table]
        elif other >= 0:
            found += len(layout.columns) < len(columns.layouts[other].columns)
    return found
