"""Which producer, with which options, would have written these messages: their events are encoded again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from tidewire.runtime.arrow import compute as pc
from tidewire.runtime.batch import EventColumns
from tidewire.runtime.batch.roles import LOCATION, PARTIAL, Roles
from tidewire.runtime.detecting.reading import Reading, objects, without
from tidewire.runtime.errors import OptionError, TidewireError

MOST_MESSAGES = 24
"""Messages that are encoded again."""
FIRST_LOOK = 4
"""Messages after which options that fit worse than others are dropped."""
MOST_SWITCHES = 7
"""Options, true or false, that are tried in all combinations."""


@dataclass(slots=True)
class Fit:
    """What the messages reveal about their producer.

    Attributes:
        tried: how many messages were encoded again.
        same: how many of them came out as they were.
        producers: those who write them so.
        options: what is told by the bytes, by the names of the configuration.
        indifferent: options that would make no difference to these messages.
        evidence: why, in sentences.
    """

    tried: int = 0
    same: int = 0
    producers: tuple[str, ...] = ()
    options: dict[str, str] = field(default_factory=dict)
    indifferent: tuple[str, ...] = ()
    evidence: list[str] = field(default_factory=list)


class _Message:
    """A message, its events, and how it is compared with what is written again."""

    def __init__(self, value: bytes, key: bytes | None, columns: EventColumns, reading: Reading) -> None:
        self.columns = columns
        self._value = value
        self._key = key if reading.module.FACTS.keyed else None
        self._end = reading.terminator
        self._records = reading.module.FACTS.records if reading.encoded else None
        random = reading.module.FACTS.random
        self._loose = bool(random)
        self._paths = [path for path, what, _ in random.values() if what == "value"]
        self._meant = self._plain(value)

    def is_written(self, value: bytes, key: bytes | None) -> bool:
        """Whether that is the same message; not the order of members, nor what is random, where there is such."""
        if key != self._key:
            return False
        if value == self._value:
            return True
        return self._meant is not None and self._plain(value) == self._meant

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


def fit(reading: Reading, kinds: Mapping[str, int], roles: Roles) -> Fit:
    """What messages tell that can be read.

    Args:
        reading: they and their protocol.
        kinds: codes of the kinds of events.
        roles: the names of fields by what they mean.
    """
    module = reading.module
    chosen = _messages(reading)
    found = Fit(tried=len(chosen))
    best = _best(module, reading, chosen)
    if best:
        found.same = best[0][0]
    cut = _cuts(reading, kinds, roles)
    fitting = [options for _, options in best if all(getattr(options, name) for name in cut)] or [o for _, o in best]
    if not found.same:
        fitting = []
    found.producers = tuple(dict.fromkeys(options.producer for options in fitting))
    if chosen and fitting:
        found.evidence.append(
            f"{found.same} of {found.tried} messages come out the same when their events are encoded again as "
            f"{' or '.join(found.producers)}"
        )
    elif chosen:
        found.evidence.append(
            f"none of {found.tried} messages comes out the same when its events are encoded again as "
            f"{' or '.join(module.FACTS.producers)}: another program wrote them"
        )
    _tell(module, fitting, cut, found)
    _large(module, reading, found)
    return found


def _tell(module: Any, fitting: Sequence[Any], cut: Mapping[str, str], found: Fit) -> None:
    """The options on which all candidates that fit agree."""
    indifferent = []
    for one in module.OPTIONS:
        if one.type != "bool":
            continue
        values = {getattr(options, one.python_name) for options in fitting}
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


def _large(module: Any, reading: Reading, found: Fit) -> None:
    """What became of rows that were too long, where events say so."""
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


def _messages(reading: Reading) -> list[_Message]:
    """Some messages, of every kind of event and table some."""
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
    options = {"invalid-text": "bytes"}
    options |= {name: value for name, value in reading.options.items() if name != module.FACTS.compression}
    decoder = module.Decoder(module.Options.from_strings(options))
    found = []
    for _, message in sorted(ranked)[:MOST_MESSAGES]:
        value = reading.values[message]
        if value is not None:
            key = None if reading.keys is None else reading.keys[message]
            found.append(_Message(value, key, decoder.attempt([value], [key]), reading))
    return found


def _best(module: Any, reading: Reading, chosen: Sequence[_Message]) -> list[tuple[int, Any]]:
    """The options with which most messages come out as they were, each with that number."""
    candidates = _candidates(module, reading)
    scores = dict.fromkeys(range(len(candidates)), 0)
    encoders = [module.Encoder(options) for options in candidates]
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
    """Options of every producer, with all combinations of those that are true or false."""
    switches = [one for one in module.OPTIONS if one.type == "bool"][:MOST_SWITCHES]
    found: dict[Any, None] = {}
    for producer in module.FACTS.producers:
        own = [one for one in module.OPTIONS if one.has(producer)]
        limits = {one.python_name: one.range[1] for one in own if one.type == "int" and one.range}
        if reading.terminator:
            limits[module.FACTS.terminator.replace("-", "_")] = reading.terminator
        if reading.encoded:
            limits[module.FACTS.records.option.replace("-", "_")] = reading.encoded
        for values in product((False, True), repeat=len(switches)):
            chosen = {one.python_name: value for one, value in zip(switches, values, strict=True)}
            try:
                # one that is implied by another is set with it: the same options are tried once
                found[module.Options(producer=producer, **chosen, **limits)] = None
            except OptionError:
                continue
    return list(found)


def _cuts(reading: Reading, kinds: Mapping[str, int], roles: Roles) -> dict[str, str]:
    """Options that leave columns out of row images, by their fields' names, where images lack columns; and why."""
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
    """How many events of a kind lack columns that an option leaves out, and no other reason is known."""
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
