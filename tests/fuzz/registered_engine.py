"""The base of the engines for protocols with a schema registry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from random import Random
from typing import Any, ClassVar

import recorded
from avro.recordings import schemas
from json_twin import ForeignError, MalformedError

from tidewire.cli.spans import TROUBLE
from tidewire.events import Event, Events, RowChange
from tidewire.runtime.batch import EventColumns
from tidewire.runtime.dissecting.spans import Span
from tidewire.runtime.errors import DecodeError
from tidewire.runtime.registered.errors import MissingSchemaError

from .dissected import wrong_spans, wrong_values
from .engine import BATCH, CODES, FIXED_NS, Engine
from .finding import Finding
from .mutations import SINGLE
from .paths import Halves
from .registered_inputs import Known, Made, by_twin, halves, joined, named, parted, renamed, schemas_of
from .registered_mutations import bodies, changed, exchanged, settled

DISSECTED = 16
"""Messages of a batch that are dissected."""


class Schooled:
    """A decoder that takes key, value and schemas as one."""

    def __init__(self, module: Any, corpus: Mapping[Any, str], invalid_text: str = "error", **more: Any) -> None:
        """
        Args:
            module: of the protocol.
            corpus: its schemas, by their ids.
            invalid_text: what becomes of text that is not UTF-8.
            more: other arguments of the decoder.
        """
        self.known = Known(corpus)
        options = module.Options(invalid_text=invalid_text)
        self.decoder = module.Decoder(options, schemas=self.known, **more)

    def decode(self, values: Sequence[bytes]) -> EventColumns:
        """A batch of inputs."""
        self.known.begin(values)
        found: EventColumns = self.decoder.attempt(*halves(values))
        return found


class RegisteredEngine(Engine):
    """The decoder of a protocol whose schemas a registry has.

    Attributes:
        more: other arguments of decoders.
        each: how many messages of a schema are taken into the corpus.
        longest: bytes of messages that are cut at every byte.
    """

    more: ClassVar[Mapping[str, Any]] = {}
    each: ClassVar[int]
    longest: ClassVar[int]
    sparse = 25
    spread = FIXED_NS  # what is spoiled are schemas of hundreds of fields, too, each of which is read
    errors = (DecodeError, MissingSchemaError)
    codes = CODES | {"missing_schema"}
    packs = False
    points = False

    @staticmethod
    def twin(key: bytes | None, value: bytes | None, texts: Any) -> list[Any]:
        """The events of key and value by the texts of schemas, as the twin reads them."""
        raise NotImplementedError

    @classmethod
    def recorded(cls) -> Iterator[list[bytes]]:
        for stream in recorded.streams(cls.name):
            held = schemas(stream)
            yield [joined(renamed(held, one.key, one.value)) for one in recorded.sent(stream)]

    @classmethod
    def taken(cls) -> Iterator[bytes]:
        """A few of each schema; not those with text that is no UTF-8, which TiCDC writes."""
        counts: dict[Any, int] = {}
        for one in cls.made():
            yield from (one for _ in "1" if cls._is_read(one))
        for stream in cls.recorded():
            for one in stream:
                named_by = parted(one)[:2]
                counts[named_by] = counts.get(named_by, 0) + 1
                if counts[named_by] <= cls.each and len(one) <= cls.largest and cls._is_read(one):
                    yield one

    @classmethod
    def _is_read(cls, given: bytes) -> bool:
        try:
            by_twin(cls.twin, given, {})
        except (MalformedError, ForeignError) as error:
            return isinstance(error, ForeignError)
        return True

    @classmethod
    @cache
    def schemas(cls) -> Mapping[Any, str]:
        """Those of the corpus, by their ids."""
        return schemas_of(cls.messages())

    def read(self, value: bytes, known: Any) -> list[Any]:
        return by_twin(self.twin, value, self.schemas())

    def respoiled(self, chance: Random, schema: bytes) -> bytes:
        """A schema, spoiled."""
        raise NotImplementedError

    def objection(self, schema: bytes, body: bytes, event: Any) -> str:
        """What fastavro reads otherwise; empty where it agrees, or does not take the schema."""
        raise NotImplementedError

    def wrong(self, made: Made, spans: Sequence[Span], error: DecodeError | None, event: Event | None) -> str | None:
        """What is wrong with the dissection of a message; None when nothing is.

        Args:
            made: the message.
            spans: of it.
            error: the decoder's; None: it has none.
            event: what the decoder made of it; None: nothing.
        """
        parts = {"key": made.key, "value": made.value}
        if isinstance(error, MissingSchemaError):
            # no trouble for spans, which go on behind it and may find another one
            troubles = [span for span in spans if span.type == TROUBLE]
            return wrong_spans([span for span in spans if span not in troubles], parts, None, ())
        read_of = self.read_of(made)
        found = wrong_spans(spans, parts, error, () if error is not None or event is None else read_of)
        if found is None and isinstance(event, RowChange):
            own = [span for span in spans if span.part in read_of]
            told = (wrong_values(*one) for one in self.shown(own, event))
            found = next((one for one in told if one is not None), None)
        return found

    def read_of(self, made: Made) -> set[str]:
        """The parts of a message of which everything is read."""
        raise NotImplementedError

    def shown(self, spans: Sequence[Span], event: RowChange) -> Iterator[tuple[list[Span], list[Any]]]:
        """Spans, and the images in one of which each of their values is.

        Args:
            spans: of what is read.
            event: the row.
        """
        raise NotImplementedError

    def reader(self, invalid_text: str = "error") -> Schooled:
        """A decoder that has seen nothing."""
        return Schooled(self.module, self.schemas(), invalid_text, **self.more)

    def fresh(self) -> Schooled:
        return self.reader()

    def halves(self, inputs: Sequence[bytes]) -> Halves:
        return halves(inputs)

    def part(self, value: bytes, error: DecodeError) -> bytes:
        made = parted(value)
        return (made.key if error.part == "key" else made.value) or b""

    def cut(self) -> Sequence[bytes]:
        """Some: recorded messages differ little, and schemas are long."""
        return [one for one in self.corpus[:: self.sparse] if len(one) < self.longest]

    def given(self, values: Sequence[bytes]) -> Mapping[str, Any]:
        known = Known(self.schemas())
        known.begin(values)
        return {"schemas": known, **self.more}

    def _checked(self, values: Sequence[bytes], columns: EventColumns) -> None:
        """Some messages are dissected, besides."""
        super()._checked(values, columns)
        if self.tally.inputs // BATCH % self.seldom:
            return
        chosen = Random(f"{self.seed} dissected {self.tally.inputs}").sample(list(values), DISSECTED)
        reader = self.reader("bytes")  # a dissector shows bytes that are no text
        found = reader.decode(chosen)
        errors = {error.message: error for error in found.errors}
        events = dict(zip(found.events.column("message").to_pylist(), Events(found), strict=True))
        for place, value in enumerate(chosen):
            made = parted(value)
            spans = self.module.dissect(made.value, made.key, schemas=reader.known)
            against = self.wrong(made, spans, errors.get(place), events.get(place))
            if against:
                raise Finding(f"dissected, {against}", [value])

    def _compared(self, values: Sequence[bytes], columns: EventColumns) -> None:
        """The twin, a decoder without a past, and fastavro say the same."""
        super()._compared(values, columns)
        for place, events in self.plain(columns).items():
            made = parted(values[place])
            if made.schema is not None and made.value is not None and made.value[:5] == named(made.schema, b""):
                against = self.objection(made.schema, made.value[5:], events[0])
                if against:
                    raise Finding(against, [values[place]])

    def spoiled(self, chance: Random, corpus: Sequence[bytes]) -> bytes:
        """A record, a schema, or what names it, is spoiled; parts are exchanged; or bytes change anywhere."""
        made = parted(chance.choice(corpus))
        for _ in range(chance.choice((1, 1, 1, 2))):
            kind = chance.random()
            if kind < 0.4:
                made = bodies(chance, made, corpus)
            elif kind < 0.75:
                made = changed(chance, made, self.respoiled)
            elif kind < 0.9:
                made = exchanged(chance, made, parted(chance.choice(corpus)))
            else:
                made = parted(chance.choice(SINGLE)(chance, joined(made), corpus))
        return joined(settled(made, self.schemas()))
