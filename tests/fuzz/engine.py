"""Batches of mutated and of good messages through the decoder, and everything that has to hold for what comes out.

A batch is a function of the seed and its number, so that it can be made again: after a crash, or on another machine.
"""

from __future__ import annotations

import os
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Protocol

import pyarrow as pa
from craft.plain import plain
from craft.twin import MalformedError, read

import tidewire.runtime
from tidewire import craft
from tidewire.events import Events
from tidewire.runtime.batch import EventColumns
from tidewire.runtime.errors import REASONS, DecodeError

from .crowd import ROUND, Crowd, Row, binary
from .finding import Finding
from .mutations import mutated
from .paths import Way, compare

BATCH = 256
"""Messages of a batch; every EVERY-th is a good one."""
EVERY = 16
SAMPLE = 16
"""One batch of so many is read by the twin too, and by a decoder that has seen nothing; another one goes all the other
ways."""
CROWD = 128
"""Behind one batch of so many comes one of thousands of tables."""
SLOWER = 20 if "libasan" in os.environ.get("LD_PRELOAD", "") else 1
"""How many times longer everything takes with sanitizers."""
FIXED_NS, NS_PER_BYTE = 20_000_000 * SLOWER, (5_000 if tidewire.runtime.compiled else 50_000) * SLOWER
"""What a message may take of the processor, and for each of its bytes: far more than it ever does, even where others
crowd the machine's caches, and far less than what is not linear."""
GROWTH = 256 << 20
"""Bytes by which the process may grow after its first batches."""
CODES = frozenset(code for code, _ in REASONS)
SINGLY = craft.Options(max_batch_size=1)


@dataclass
class Tally:
    """What has been seen so far."""

    inputs: int = 0
    accepted: int = 0
    events: int = 0
    codes: Counter[str] = field(default_factory=Counter)
    worst_ns: int = 0
    usual_ns: int = 0
    """What a batch takes, about."""
    worst: bytes = b""
    first_rss: int = 0
    last_rss: int = 0
    decoding: float = 0.0
    """Seconds in the decoder alone."""
    digest: int = 0
    """A hash of all events and errors: the same compiled and interpreted."""


def resident() -> int:
    """Bytes of memory that the process holds; 0 where nobody says."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def truncations(corpus: Sequence[bytes]) -> Iterator[bytes]:
    """Every message of the corpus cut at every byte, those of more than 1 KiB at the last 300."""
    for message in corpus:
        for size in range(0 if len(message) <= 1024 else len(message) - 300, len(message)):
            yield message[:size]


class Wire(Protocol):
    """A decoder."""

    def decode(self, values: Any) -> EventColumns: ...


class Engine:
    """The decoder that is tried, the corpus and the tally; for Craft, others say what is different."""

    def __init__(self, corpus: Sequence[bytes], seed: int, seldom: int = 1) -> None:
        self.corpus = corpus
        self.seed = seed
        self.sample, self.crowded = SAMPLE * seldom, CROWD * seldom
        self.tally = Tally()
        self.decoder = self.fresh()
        self.known = {message: self.expected(message) for message in corpus}
        self.small = [message for message in corpus if len(message) <= 2048]
        self.good = self.small
        self.cuts = list(truncations(self.cut()))
        self.crowd = Crowd(self.of_crowds(), self.row())

    # ---- what the protocol is

    errors: tuple[type[DecodeError], ...] = (DecodeError,)
    """The classes of errors."""
    codes = CODES
    spread = FIXED_NS // 8
    """By how much longer a batch may take than they usually do before its messages are looked at one by one."""

    def begin(self, number: int) -> None:
        """What is done before a batch."""

    def fresh(self) -> Wire:
        """A decoder that has seen nothing."""
        return craft.Decoder()

    def of_crowds(self) -> Wire:
        """A decoder for batches of thousands of tables."""
        return self.fresh()

    def expected(self, value: bytes) -> Any:
        """The events of a message as the twin reads them; None when it refuses it."""
        try:
            return read(value)
        except MalformedError:
            return None

    def expected_of(self, values: Sequence[bytes]) -> list[Any]:
        """The same of each message of a batch."""
        return [self.expected(value) for value in values]

    def plain(self, columns: EventColumns) -> dict[int, list[Any]]:
        """The events of each message that has some, as the twin says them."""
        found: dict[int, list[Any]] = {}
        events = zip(plain(Events(columns)), columns.events["message"].to_pylist(), strict=True)
        for event, message in events:
            found.setdefault(message, []).append(event)
        return found

    def spoiled(self, chance: Random, corpus: Sequence[bytes]) -> bytes:
        """A message of the corpus, mutated."""
        return mutated(chance, corpus)

    def cut(self) -> Sequence[bytes]:
        """The messages that are cut at every byte."""
        return self.corpus

    def part(self, value: bytes, error: DecodeError) -> bytes:
        """The part of an input in which an error's offset counts."""
        return value

    def eventless(self, value: bytes) -> bool:
        """Whether a message may be accepted and have no events."""
        return False

    def way(self, values: Sequence[bytes]) -> Way:
        """What the other ways to the events need."""
        return Way(craft, craft.Options())

    def row(self) -> Callable[[Row], bytes]:
        """Writes a row as a message."""
        return binary

    # ---- batches

    def batch(self, number: int) -> list[bytes]:
        """The messages of a batch: first all truncations, then mutations; every EVERY-th message is a good one."""
        chance = Random(f"{self.seed} {number}")
        spoiled = BATCH - BATCH // EVERY
        values = self.cuts[number * spoiled : (number + 1) * spoiled]
        values += [
            self.spoiled(chance, self.corpus if chance.random() < 0.1 else self.small)
            for _ in range(spoiled - len(values))
        ]
        for place in range(0, BATCH, EVERY):
            values.insert(place, chance.choice(self.good))
        return values

    def run(self, number: int) -> None:
        """Tries a batch.

        Raises:
            Finding: something that must not happen did.
        """
        values = self.batch(number)
        self.begin(number)
        start = time.thread_time_ns()
        columns = self._decoded(self.decoder, values)
        spent = time.thread_time_ns() - start
        try:
            self._checked(values, columns)
            self._encoded_again(values, columns)
            if number % self.sample == 0:
                self._compared(values, columns)
            if number % self.sample == self.sample // 2:
                with tempfile.TemporaryDirectory() as directory:
                    compare(self.way(values), Random(f"{self.seed} ways {number}"), values, columns, Path(directory))
            every = CROWD if self.crowd.batches < ROUND else self.crowded
            if number % every == every - 1:
                self.crowd.run(self.seed, number // every)
                if self.crowd.batches <= ROUND:
                    self.tally.first_rss = 0  # what a decoder remembers of its first tables is no leak
        except Finding:
            raise
        except Exception as error:
            raise Finding(f"{type(error).__name__} while checking: {error}", values) from error
        self._timed(values, spent)
        self.tally.inputs += len(values)
        self.tally.decoding += spent / 1e9
        self._grown(values)

    # ---- checks

    def _decoded(self, decoder: Wire, values: Sequence[bytes]) -> EventColumns:
        try:
            return decoder.decode(values)
        except Exception as error:
            for value in values:
                try:
                    self.fresh().decode([value])
                except Exception as own:
                    raise Finding(f"{type(own).__name__} escaped: {own}", [value]) from own
            raise Finding(f"{type(error).__name__} escaped, of the batch alone: {error}", values) from error

    def _checked(self, values: Sequence[bytes], columns: EventColumns) -> None:
        """Arrow's own validation, the errors, and that the good messages are what they are."""
        columns.events.validate(full=True)
        for layout in columns.layouts:
            if layout.laid() and not all(map(_same, layout.to_batch().columns, layout.arrays)):
                raise Finding("the batch of a layout has other arrays", values)
            for array in layout.arrays:
                array.validate(full=True)
                if len(array) != layout.num_rows:
                    raise Finding(f"an array of {len(array)} values in a layout of {layout.num_rows} rows", values)
        failed = set()
        for error in columns.errors:
            value = b"" if error.message is None else self.part(values[error.message], error)
            if error.message is None or error.message in failed:
                raise Finding(f"an error of message {error.message}, twice or of none: {error}", values)
            if type(error) not in self.errors or error.code not in self.codes or not 0 <= error.offset <= len(value):
                raise Finding(f"not an error as it should be: {error!r}", [value])
            failed.add(error.message)
            self.tally.codes[error.code] += 1
        found = self.plain(columns)
        said = [found, [(error.message, error.code, error.offset) for error in columns.errors]]
        self.tally.digest = zlib.crc32(repr(said).encode(), self.tally.digest)
        if failed & found.keys():
            raise Finding("messages are refused and have events", values)
        for place in set(range(len(values))) - failed - found.keys():
            if not self.eventless(values[place]):
                raise Finding("a message is neither refused nor has it events", [values[place]])
        self.tally.accepted += len(values) - len(failed)
        self.tally.events += columns.num_events
        for place in range(0, len(values), EVERY):
            if found.get(place, []) != self.known[values[place]]:
                raise Finding("a good message is not what it was: its neighbours changed it", values)

    def _encoded_again(self, values: Sequence[bytes], columns: EventColumns) -> None:
        """What was accepted can be encoded, one event a message, and is decoded to the same again."""
        batch = craft.Encoder(SINGLY).encode(columns)
        again = craft.decode_batch(batch["value"]).columns
        if again.errors:
            raise Finding(f"what was encoded again cannot be decoded: {again.errors[0]}", values)
        if _alike(columns, again):
            return
        for one, other in zip(plain(Events(columns)), plain(Events(again)), strict=True):
            if one != other:
                raise Finding(f"encoded and decoded again, {one} is {other}", values)

    def _compared(self, values: Sequence[bytes], columns: EventColumns) -> None:
        """The twin accepts and refuses the same and reads the same, and so does a decoder without a past."""
        found = self.plain(columns)
        failed = {error.message for error in columns.errors}
        for place, (value, expected) in enumerate(zip(values, self.expected_of(values), strict=True)):
            own = None if place in failed else found.get(place, [])
            if own != expected:
                raise Finding(f"the twin says {expected}, the decoder {own}", [value])
        fresh = self._decoded(self.fresh(), values)
        if [vars(error) for error in fresh.errors] != [vars(error) for error in columns.errors]:
            raise Finding("a new decoder has other errors", values)
        if self.plain(fresh) != found:
            raise Finding("a new decoder has other events", values)

    def _timed(self, values: Sequence[bytes], spent: int) -> None:
        """When a batch took much longer than they usually do, the message that did it may be in it."""
        tally = self.tally
        usual = tally.usual_ns or spent
        tally.usual_ns = (15 * usual + spent) // 16
        if tally.worst_ns and spent - usual <= max(tally.worst_ns, self.spread):
            return
        for value in values:
            taken = min(self._time(value) for _ in range(2))
            if taken > FIXED_NS + NS_PER_BYTE * len(value) and min(self._time(value) for _ in range(5)) > FIXED_NS:
                raise Finding(f"{taken / 1e6:.1f} ms for {len(value)} bytes", [value])
            if taken > self.tally.worst_ns:
                self.tally.worst_ns, self.tally.worst = taken, value

    def _grown(self, values: Sequence[bytes]) -> None:
        """What is decoded is freed; what the decoder remembers has a bound."""
        tally = self.tally
        if tally.inputs // BATCH % 64 != 8:
            return
        tally.last_rss = resident()
        tally.first_rss = tally.first_rss or tally.last_rss
        if tally.last_rss - tally.first_rss > GROWTH:
            raise Finding(f"the process grew from {tally.first_rss >> 20} to {tally.last_rss >> 20} MiB", values)

    def _time(self, value: bytes) -> int:
        decoder = self.fresh()
        start = time.thread_time_ns()
        decoder.decode([value])
        return time.thread_time_ns() - start


def _same(one: pa.Array, other: pa.Array) -> bool:
    """Whether two arrays hold the same, bit for bit: a NaN is itself."""
    if one.type == other.type == pa.float64():
        one, other = one.view(pa.int64()), other.view(pa.int64())
    return bool(one.equals(other))


def _alike(one: EventColumns, other: EventColumns) -> bool:
    """Whether two batches hold the same in the same order, bit for bit; they may be equal even when this says no."""

    names = [name for name in one.events.schema.names if name != "message"]
    return (
        one.tables == other.tables
        and one.events.select(names).equals(other.events.select(names))
        and [(layout.table, layout.columns) for layout in one.layouts]
        == [(layout.table, layout.columns) for layout in other.layouts]
        and all(
            _same(a, b)
            for mine, theirs in zip(one.layouts, other.layouts, strict=True)
            for a, b in zip(mine.arrays, theirs.arrays, strict=True)
        )
    )
