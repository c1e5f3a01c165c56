"""The other ways to the events of messages, which have to lead to the same ones as a batch that became Arrow does:

- events that are read where the decoder put them, and that outlive the batch;
- one message a call, by the decoders that a module keeps;
- parts of a batch, of compressed messages, in an allowance that may be too small for it;
- files that messages point to.

Detection and dissection take whatever there is.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import tidewire
from tidewire.events import Events, RowChange
from tidewire.messages.delivery.claims import wrap
from tidewire.runtime.batch import EventColumns
from tidewire.runtime.errors import DecodeError

from .finding import Finding

FEW = 8
"""Messages of a batch that are decoded alone, and that are dissected."""
CLAIMED = 32
"""Messages of a batch that are put into files."""
LOOKED_AT = 24
"""Messages that are given to detection."""
SPOILED = 4
"""One compressed message, or file, of so many is damaged."""


Halves = tuple[Sequence[bytes | None], Sequence[bytes | None] | None]
"""Values and keys."""


class Way(NamedTuple):
    """What a protocol needs for it."""

    module: Any
    chosen: Mapping[str, Any]
    """The options that the messages are read with."""
    halves: Callable[[Sequence[bytes]], Halves]
    """Inputs as values and keys, where the protocol has keys."""
    packed: Callable[[str, bytes], bytes | None] | None
    """An input that is compressed; None when it cannot be, or where no message is."""
    pointing: Callable[[bytes, str], bytes | None] | None
    """An input as one that points to a file; None when it cannot, or where no message does."""
    given: Mapping[str, Any]
    """Arguments of decoders, where messages are read by what others say: all that the batch says."""

    def options(self, **more: Any) -> Any:
        """The options, and others."""
        return self.module.Options(**self.chosen, **more)

    def decoder(self, options: Any) -> Any:
        """A decoder with options."""
        return self.module.Decoder(options, **self.given)


class Outcome(NamedTuple):
    """What became of a message: its events as texts, or the code and the place of its error."""

    events: tuple[str, ...] = ()
    error: tuple[str, int] | None = None


def outcomes(columns: EventColumns, count: int) -> list[Outcome]:
    """Of each message; the events are read as the columns lie."""
    events: list[list[str]] = [[] for _ in range(count)]
    found = [repr(event) for event in Events(columns)]
    for text, message in zip(found, columns.events.column("message").to_pylist(), strict=True):
        events[message].append(text)
    failed = {error.message: (error.code, error.offset) for error in columns.errors}
    return [Outcome(tuple(events[k]), failed.get(k)) for k in range(count)]


def compare(way: Way, chance: Random, values: Sequence[bytes], columns: EventColumns, directory: Path) -> None:
    """Goes all the ways.

    Args:
        way: of the protocol.
        chance: for what is picked.
        values: a batch.
        columns: what it is; they have become Arrow.
        directory: an empty one, for files.

    Raises:
        Finding: another way leads to something else.
    """
    if way.given:  # the order of messages makes no difference to who knows what all of them say
        columns = way.decoder(way.options()).decode(*way.halves(values))
        columns.events.validate(full=True)
    known = outcomes(columns, len(values))
    _laid(way, values, known)
    for place in chance.sample(range(len(values)), FEW):
        _alone(way, values[place], known[place])
    for place in chance.sample(range(len(values)), FEW):
        _dissected(way, values[place])
    _detected(way, chance.sample(list(values), LOOKED_AT))
    if way.packed is not None:
        _unpacked(way, way.packed, chance, values, known)
    if way.pointing is not None:
        _fetched(way, way.pointing, chance, values, directory)


def _laid(way: Way, values: Sequence[bytes], known: Sequence[Outcome]) -> None:
    """Events that are read out of the decoder's own columns, after the batch is gone and another was decoded."""
    decoder = way.decoder(way.options())
    for _ in range(2):  # the second batch begins with what the first has taught
        columns = decoder.decode(*way.halves(values))
        numbers = columns.events.column("message").to_pylist()
        errors = {error.message: (error.code, error.offset) for error in columns.errors}
        texts: list[list[str]] = [[] for _ in values]
        events = list(Events(columns))
        del columns
        again = decoder.decode(*way.halves(values[::-1]))
        gc.collect()
        for event, message in zip(events, numbers, strict=True):
            texts[message].append(repr(event))
            if isinstance(event, RowChange):
                images: tuple[Any, ...] = (event.new, event.old)
                for row in images:
                    if row is not None and repr(row.to_dict()) != repr(dict(row.items())):
                        raise Finding("a row's dict is not its items", [values[message]])
        del again
        for place, texts_of in enumerate(texts):
            if (found := Outcome(tuple(texts_of), errors.get(place))) != known[place]:
                raise Finding(f"without Arrow {found}, with {known[place]}", values)


def _alone(way: Way, value: bytes, known: Outcome) -> None:
    """One message a call."""
    (data,), keys = way.halves([value])
    try:
        events = tuple(
            repr(event) for event in way.module.decode(data, keys and keys[0], options=way.options(), **way.given)
        )
        found = Outcome(events)
    except DecodeError as error:
        found = Outcome((), (error.code, error.offset))
    if found != known:
        raise Finding(f"alone {found}, in a batch {known}", [value])


def _dissected(way: Way, value: bytes) -> None:
    """Whatever the message is, there are spans, and they lie in it."""
    (data,), keys = way.halves([value])
    for span in way.module.dissect(data, keys and keys[0], **way.given):
        if not 0 <= span.start <= span.end <= len(value):
            raise Finding(f"a span of {span.start} to {span.end}", [value])


def _detected(way: Way, values: Sequence[bytes]) -> None:
    tidewire.detect(*way.halves(values))


def _unpacked(
    way: Way,
    pack: Callable[[str, bytes], bytes | None],
    chance: Random,
    values: Sequence[bytes],
    known: Sequence[Outcome],
) -> None:
    """Compressed messages in parts: what is too large for an allowance alone is said, and all else is as it was."""
    name = chance.choice(("snappy", "lz4"))
    most = chance.choice((64, 1000, 20_000, 1 << 24))
    attempts = [pack(name, value) for value in values]
    known = [outcome for outcome, one in zip(known, attempts, strict=True) if one is not None]
    values = [value for value, one in zip(values, attempts, strict=True) if one is not None]
    packed = [one for one in attempts if one is not None]
    damaged = set(range(1, len(values), SPOILED)) if chance.random() < 0.5 else set()
    # what is said of a table in a damaged message may be something else, by which others are read then
    damaged -= {place for place in damaged if any("table_after=" in text for text in known[place].events)}
    for place in damaged:
        packed[place] = _damaged(chance, packed[place])
    options = way.options(large_message_handle_compression=name, max_unpacked_bytes=most)
    found = _joined(way.decoder(options).parts(*way.halves(packed)), len(values))
    for place, outcome in enumerate(found):
        if place in damaged or outcome == known[place]:
            continue
        if len(values[place]) <= most or outcome.events or outcome.error is None:
            raise Finding(f"{name} in parts of {most} bytes {outcome}, plain {known[place]}", [values[place]])


def _joined(parts: Iterable[EventColumns], count: int) -> list[Outcome]:
    found = [Outcome()] * count
    for part in parts:
        for place, outcome in enumerate(outcomes(part, count)):
            if outcome != Outcome():
                if found[place] != Outcome():
                    raise Finding(f"message {place} is in two parts", [])
                found[place] = outcome
    return found


def _damaged(chance: Random, value: bytes) -> bytes:
    """Some bits flipped, or the end cut."""
    image = bytearray(value[: chance.randrange(len(value) + 1)] if chance.random() < 0.3 else value)
    for _ in range(chance.randrange(1, 4)):
        if image:
            image[chance.randrange(len(image))] ^= 1 << chance.randrange(8)
    return bytes(image)


def _fetched(
    way: Way,
    pointing: Callable[[bytes, str], bytes | None],
    chance: Random,
    values: Sequence[bytes],
    directory: Path,
) -> None:
    """Messages that point to themselves in files: they are as they were without; what lies in a damaged file is an
    error or other values, and costs the others nothing.
    """
    whole: list[bytes] = []
    pointers: list[bytes] = []
    for value in chance.sample(list(values), CLAIMED):
        pointer = pointing(value, f"s3://bucket/{len(whole)}.json")
        if pointer:
            whole.append(value)
            pointers.append(pointer)
    damaged = set(range(1, len(whole), SPOILED))
    data_of, keys = way.halves(whole)
    for place, whole_value in enumerate(data_of):
        data = wrap(whole_value or b"", None if keys is None else keys[place])
        (directory / f"{place}.json").write_bytes(_damaged(chance, data) if place in damaged else data)
    decoder = way.decoder(way.options(claim_check=str(directory)))
    plain = outcomes(decoder.decode(data_of, keys), len(whole))
    found = _joined(decoder.parts(*way.halves(pointers)), len(pointers))
    for place, outcome in enumerate(found):
        if place not in damaged and plain[place].events and outcome != plain[place]:
            raise Finding(f"in a file {outcome}, sent {plain[place]}", [whole[place], pointers[place]])
