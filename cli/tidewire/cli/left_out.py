"""Finds parts of events that are lost in encoding, and the options that keep them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import Any

import pyarrow as pa

import tidewire
from tidewire.events import Event, Events
from tidewire.messages.delivery.losses import Loss, losses
from tidewire.messages.delivery.transcoding import for_reading
from tidewire.messages.options import INVALID_TEXT, VERIFY_CHECKSUM
from tidewire.runtime.arrow.literals import column_of
from tidewire.runtime.batch import EventColumns
from tidewire.runtime.errors import TidewireError
from tidewire.runtime.shortened import shortened

FACTS = tidewire.event_facts()
CHUNK = 4096
"""Number of events that are compared at once with those decoded from their messages."""
TRIED = 256
"""Maximum number of events that are encoded again to find an option."""
LISTED = 4
"""Maximum number of columns or tables that are listed."""
_OMITTED = ("is not carried", "has no message here", "some are left out")


class LeftOut:
    """Compares events with those decoded from their messages, as `tidewire transcode` does.

    Args:
        options: options of the encoder.
        given: the other arguments of the encoder and the decoder.
    """

    def __init__(self, module: Any, options: Any, given: Mapping[str, Any]) -> None:
        self._module, self._options, self._given = module, options, given
        self._events: list[Event] = []
        self._messages: list[Any] = []
        self._found: Counter[Loss] = Counter()
        self._kept: dict[Loss, str] = {}

    def add(self, events: Sequence[Event], messages: Sequence[Any]) -> None:
        """Adds events and their messages, whose `first_event` is an index of these events."""
        before = len(self._events)
        self._events += events
        self._messages += [one._replace(first_event=one.first_event + before) for one in messages]
        if len(self._events) >= CHUNK:
            self._compare()

    def said(self) -> Iterator[str]:
        """A sentence about losses for each option that avoids them, and one about the others."""
        self._compare()
        found: dict[tuple[str, str], dict[str, Counter[str]]] = {}
        for loss, count in sorted(self._found.items()):
            verb = "leave out" if loss.detail in _OMITTED else "change"
            found.setdefault((self._kept[loss], verb), {}).setdefault(loss.what, Counter())[loss.name] = count
        for (option, verb), by_what in sorted(found.items(), reverse=True):
            texts = [text for what, counts in by_what.items() for text in _texts(what, counts)]
            keeps = f": -o {option} keeps {'it' if len(texts) == 1 else 'them'}" if option else ""
            yield f"{self._module.NAME} messages as written here {verb} {', '.join(texts)}{keeps}"

    def _compare(self) -> None:
        if not self._events:
            return
        columns = Events.columns_of(self._events)
        found = self._losses(columns, self._messages, self._options)
        self._found += found
        known = {_nameless(loss): option for loss, option in self._kept.items()}
        for loss in found.keys() - self._kept.keys():
            if _nameless(loss) in known:
                self._kept[loss] = known[_nameless(loss)]
        new = found.keys() - self._kept.keys()
        if new:
            self._kept |= dict.fromkeys(new, "")
            if self._writes_messages_only():
                self._find_options(columns, new)
        self._events, self._messages = [], []

    def _losses(self, columns: EventColumns, messages: Sequence[Any], options: Any) -> Counter[Loss]:
        batch = pa.record_batch(
            {
                "key": column_of([one.key for one in messages], pa.binary()),
                "value": column_of([one.value for one in messages], pa.binary()),
                "first_event": column_of([one.first_event for one in messages], pa.int64()),
                "events": column_of([one.events for one in messages], pa.int64()),
            }
        )
        reader = self._module.Decoder(for_reading(self._module, options), **self._given)
        again = reader.decode(batch.column("value"), batch.column("key"))
        names = {code: name for name, code in FACTS.kinds.items()}
        return losses(columns, again, batch, names, FACTS.ddl_class, FACTS.roles, FACTS.flag_name)

    def _writes_messages_only(self) -> bool:
        """Whether encoding has no side effects, such as registered schemas or claim-check files."""
        facts = self._module.FACTS
        way = None if facts.large is None else facts.large.ways.get(self._options.value(facts.large.option))
        return facts.registry is None and (way is None or not way.stored)

    def _find_options(self, columns: EventColumns, new: Set[Loss]) -> None:
        """Finds options that avoid new losses and cause no others, by encoding events with them."""
        few = columns.take(range(min(TRIED, columns.num_events)))
        now = self._lost(few, self._options)
        if not new <= now:
            few, now = columns, self._lost(columns, self._options)
        left = set(new)
        for spec, value in self._choices():
            if not left:
                break
            try:
                lost = self._lost(few, replace(self._options, **{spec.python_name: value}))
            except TidewireError:
                continue
            if lost <= now:
                kept = left - lost
                self._kept |= dict.fromkeys(kept, f"{spec.name}={str(value).lower()}")
                left -= kept

    def _lost(self, columns: EventColumns, options: Any) -> Set[Loss]:
        """The losses of events that are encoded with these options."""
        return self._losses(columns, self._module.encode(Events(columns), options, **self._given), options).keys()

    def _choices(self) -> Iterator[tuple[Any, Any]]:
        """Other values of the options that select the content of messages."""
        facts = self._module.FACTS
        apart = {facts.compression, "producer", None if facts.large is None else facts.large.option}
        apart |= {INVALID_TEXT.name, VERIFY_CHECKSUM.name}  # what is compared is read in one way
        for one in self._module.OPTIONS:
            if one.name in apart or one.type not in ("bool", "choice") or not one.has(self._options.value("producer")):
                continue
            now = self._options.value(one.name)
            for value in (not now,) if one.type == "bool" else one.choices:
                if value != now:
                    yield one, value


def _nameless(loss: Loss) -> Loss:
    """The loss without the name of a column or table: what keeps one of them keeps the others."""
    return loss._replace(name="") if loss.what in ("value", "table") else loss


def _texts(what: str, counts: Counter[str]) -> Iterator[str]:
    """Short texts about losses.

    Args:
        what: `Loss.what`.
        counts: numbers of events by the name of what they lost.
    """
    if what in ("value", "table"):
        names = [shortened(one) for one in list(counts)[:LISTED]]
        more = f" and {len(counts) - LISTED} more" if len(counts) > LISTED else ""
        yield f"{'values of' if what == 'value' else 'names of tables'} {', '.join(names)}{more}"
        return
    of = {
        "image": "the {} image of ",
        "columns": "columns of the {} image of ",
        "column": "{} of columns of ",
        "flag": "{} of columns of ",
    }
    for name, count in counts.items():
        many = "" if count == 1 else "s"
        if what == "kind":
            yield f"{count:,} {name}{many}"
        else:
            yield f"{of.get(what, '{} of ').format(name)}{count:,} event{many}"
