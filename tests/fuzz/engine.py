"""Batches of mutated and of good messages through the decoder, and everything that has to hold for what comes out.

A batch is a function of the seed and its number, so that it can be made again: after a crash, or on another machine.
"""

from __future__ import annotations

import os
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, ClassVar, Protocol

import pyarrow as pa
from json_twin import Anything, ForeignError, MalformedError

import tidewire.runtime
from tidewire.events import Events
from tidewire.messages.delivery.compression import compress
from tidewire.runtime.batch import EventColumns
from tidewire.runtime.errors import REASONS, DecodeError

from .crowd import ROUND, Crowd, Row
from .finding import Finding
from .paths import Halves, Way, compare

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
    """A decoder of inputs."""

    def decode(self, values: Any) -> EventColumns: ...


class Paired:
    """A decoder of inputs that are keys and values."""

    def __init__(self, decoder: Any, halves: Callable[[Sequence[bytes]], Halves]) -> None:
        """
        Args:
            decoder: of values and keys.
            halves: parts inputs.
        """
        self.decoder = decoder
        self.halves = halves

    def decode(self, values: Sequence[bytes]) -> EventColumns:
        """A batch of inputs."""
        found: EventColumns = self.decoder.decode(*self.halves(values))
        return found


class Engine:
    """The decoder that is tried, the corpus and the tally. A class of each protocol says what it has of its own.

    Attributes:
        name: what is fuzzed.
        module: of the protocol.
        chosen: the options that messages are read with.
        largest: bytes of the longest recorded message that is taken.
        sparse: one message of so many of the corpus is cut at every byte.
        errors: the classes of errors.
        codes: of errors.
        spread: by how much longer a batch may take than they usually do before its messages are looked at one by one.
    """

    name: ClassVar[str]
    module: Any
    chosen: ClassVar[Mapping[str, Any]] = {}
    largest: ClassVar[int] = 8192
    sparse: ClassVar[int] = 40
    errors: ClassVar[tuple[type[DecodeError], ...]] = (DecodeError,)
    codes: ClassVar[frozenset[str]] = CODES
    spread: ClassVar[int] = FIXED_NS // 8

    def __init__(self, seed: int, seldom: int = 1, corpus: Sequence[bytes] | None = None) -> None:
        """
        Args:
            seed: another seed, other inputs.
            seldom: the slow comparisons are made so many times less often.
            corpus: other messages than all well-formed ones.
        """
        self.corpus = self.messages() if corpus is None else corpus
        self.seed = seed
        self.seldom = seldom
        self.sample = self.ways = SAMPLE * seldom
        self.crowded = CROWD * seldom
        self.tally = Tally()
        self.decoder = self.fresh()
        self.known = {message: self.expected_of([message])[0] for message in self.corpus}
        self.small = [message for message in self.corpus if len(message) <= self.least()]
        self.good = [message for message in self.small if self.is_steady(message)]
        self.cuts = list(truncations(self.cut()))
        self.crowd = Crowd(self.of_crowds(), self.written)

    # ---- what the protocol is

    @classmethod
    def made(cls) -> Sequence[bytes]:
        """Well-formed messages that hold what no recording has."""
        raise NotImplementedError

    @classmethod
    def recorded(cls) -> Iterator[list[bytes]]:
        """The messages of each recorded stream, without compression."""
        raise NotImplementedError

    @classmethod
    @cache
    def messages(cls) -> tuple[bytes, ...]:
        """Well-formed messages, the shortest first; always the same."""
        return tuple(sorted(set(cls.taken()), key=lambda one: (len(one), one)))

    @classmethod
    def taken(cls) -> Iterator[bytes]:
        """Those of the corpus, of which some may come twice."""
        yield from cls.made()
        yield from (one for stream in cls.recorded() for one in stream if len(one) <= cls.largest)

    @classmethod
    def least(cls) -> int:
        """Bytes of those that most inputs are made of."""
        return 2048

    def fresh(self) -> Wire:
        """A decoder that has seen nothing."""
        raise NotImplementedError

    def of_crowds(self) -> Wire:
        """A decoder for batches of thousands of tables."""
        return self.fresh()

    def known_before(self) -> Any:
        """What the twin knows before the first message."""
        return None

    def read(self, value: bytes, known: Any) -> list[Any]:
        """The events of a message as the twin reads them.

        Raises:
            MalformedError: the twin refuses it.
            ForeignError: the twin does not read it.
        """
        raise NotImplementedError

    def expected_of(self, values: Sequence[bytes], known: Any = None) -> list[Any]:
        """The events of each message of a batch; None where the twin refuses it, `Anything` where it reads no such.

        Args:
            values: the batch.
            known: what the twin knows, if it is not what it knows before the first message.
        """
        known = self.known_before() if known is None else known
        found: list[Any] = []
        for value in values:
            try:
                found.append(self.read(value, known))
            except MalformedError:
                found.append(None)
            except ForeignError:
                found.append(Anything())
        return found

    def plain(self, columns: EventColumns) -> dict[int, list[Any]]:
        """The events of each message that has some, as the twin says them."""
        found: dict[int, list[Any]] = {}
        for event, message in zip(Events(columns), columns.events["message"].to_pylist(), strict=True):
            found.setdefault(message, []).append(self.said(event))
        return found

    def said(self, event: Any) -> Any:
        """An event as the twin says it."""
        raise NotImplementedError

    def is_steady(self, value: bytes) -> bool:
        """Whether a well-formed message has its events whatever others say."""
        return True

    def begin(self, number: int) -> None:
        """What is done before a batch."""

    def spoiled(self, chance: Random, corpus: Sequence[bytes]) -> bytes:
        """A message of the corpus, mutated."""
        raise NotImplementedError

    def cut(self) -> Sequence[bytes]:
        """The messages that are cut at every byte: some, as recorded messages differ little."""
        return [*self.made(), *self.corpus[:: self.sparse]]

    def written(self, row: Row) -> bytes:
        """A row that was inserted, as a message."""
        raise NotImplementedError

    # ---- what its messages consist of

    def halves(self, inputs: Sequence[bytes]) -> Halves:
        """Inputs as values and keys, where the protocol has keys."""
        return inputs, None

    def part(self, value: bytes, error: DecodeError) -> bytes:
        """The part of an input in which an error's offset counts."""
        return value

    packs: ClassVar[bool] = True
    """Whether its messages can be compressed."""

    def packed(self, name: str, value: bytes) -> bytes | None:
        """An input that is compressed; None when it cannot be."""
        return compress(name, value)

    points: ClassVar[bool] = True
    """Whether its messages can point to files."""

    def pointing(self, value: bytes, location: str) -> bytes | None:
        """An input as one that points to a file; None when it cannot."""
        raise NotImplementedError

    def given(self, values: Sequence[bytes]) -> Mapping[str, Any]:
        """Arguments of decoders, where messages are read by what others say: all that a batch says."""
        return {}

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
            if number % self.ways == self.ways // 2:
                self._gone_all_ways(number, values, columns)
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
            if layout.laid() and not all(map(same, layout.to_batch().columns, layout.arrays)):
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
            if self.expected_of([values[place]]) != [[]]:
                raise Finding("a message is neither refused nor has it events", [values[place]])
        self.tally.accepted += len(values) - len(failed)
        self.tally.events += columns.num_events
        for place in range(0, len(values), EVERY):
            if found.get(place, []) != self.known[values[place]]:
                raise Finding("a good message is not what it was: its neighbours changed it", values)

    def _encoded_again(self, values: Sequence[bytes], columns: EventColumns) -> None:
        """What was accepted, written and read again; most protocols have tests of their own of what is written."""

    def _gone_all_ways(self, number: int, values: Sequence[bytes], columns: EventColumns) -> None:
        """All other ways to the events lead to the same ones."""
        parts = self.halves, self.packed if self.packs else None, self.pointing if self.points else None
        way = Way(self.module, self.chosen, *parts, self.given(values))
        with tempfile.TemporaryDirectory() as directory:
            compare(way, Random(f"{self.seed} ways {number}"), values, columns, Path(directory))

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


def same(one: pa.Array, other: pa.Array) -> bool:
    """Whether two arrays hold the same, bit for bit: a NaN is itself."""
    if one.type == other.type == pa.float64():
        one, other = one.view(pa.int64()), other.view(pa.int64())
    return bool(one.equals(other))
