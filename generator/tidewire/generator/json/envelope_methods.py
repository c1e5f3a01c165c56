"""The methods of an encoder whose messages are in Kafka Connect envelopes: keys, and the schema blocks of keys and
values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..model import EventKind
from ..syntax.calls import EVENT, RETURN_OK, int_at
from ..syntax.nodes import (
    INT,
    Body,
    Branch,
    Call,
    Declare,
    Do,
    Expression,
    Literal,
    Method,
    Name,
    any_of,
    assign,
    chain,
    object_type,
    own,
)
from .messages import MessagePlanner
from .model import JsonProtocol
from .scalar_steps import WrittenKind
from .sink_calls import ONE_EVENT, SINK, WRITER, raw
from .writer import Writer

ROWS = Name("rows")


class EnvelopeMethods:
    """Plans the envelope methods."""

    def __init__(
        self,
        protocol: JsonProtocol,
        messages: MessagePlanner,
        at: Mapping[str, Expression],
        kind: Callable[[], Body],
    ) -> None:
        """

        Args:
            messages: the planner of values.
            at: the constants of the columns of events, by name.
            kind: gives the statements that store the kind of the event in a variable.
        """
        self.protocol = protocol
        self.messages = messages
        self.at = at
        self.kind = kind

    def all(self) -> tuple[Method, ...]:
        """All methods, in the order in which they are printed."""
        key = self.protocol.key_envelope
        described = self.protocol.described
        assert described is not None, "messages in envelopes say when they were committed"
        at = Do(own("at_event")(EVENT, self.at[str(described.by)]))
        about = ("Looks when the event was committed.",)
        begin = Method("begin_event", ONE_EVENT, INT, about, (at, *RETURN_OK), overrides=True)
        value_block = self._of_kinds(
            "write_block", "The block that says what the value of the event is.", self._value_block
        )
        if key is None:
            return (begin, value_block)
        return (
            begin,
            self._of_kinds("write_key", "The payload of the event's key.", self._key),
            value_block,
            self._of_kinds("write_key_block", "The block that says what the key of the event is.", self._key_block),
        )

    def _of_kinds(self, name: str, about: str, write: Callable[[EventKind], Body]) -> Method:
        branches: list[tuple[Body, list[EventKind]]] = []
        for kind, _ in self.messages.carried_cases:
            body = write(kind)
            alike = next((kinds for other, kinds in branches if other == body), None)
            if alike is None:
                branches.append((body, [kind]))
            else:
                alike.append(kind)
        found = [Branch(self._is_one(kinds), body) for body, kinds in branches]
        rows = (Declare(ROWS.id, object_type("WrittenRows")),) if write == self._key else ()
        return Method(name, WRITER, INT, (about,), (*self.kind(), *rows, *chain(found), *RETURN_OK), overrides=True)

    def _is_one(self, kinds: list[EventKind]) -> Expression:
        return any_of(tuple(Name("kind").equals(Name(self.messages.kind_names[kind.name])) for kind in kinds))

    def _image(self, kind: EventKind) -> str | None:
        return next(iter(self.messages.images(kind)), None)

    def _key(self, kind: EventKind) -> Body:
        key = self.protocol.key_envelope
        assert key is not None, "an encoder that writes keys has an envelope for them"
        part = key.payloads.get(kind.cls)
        image = self._image(kind)
        if part is None:
            return (raw(b"{}"),)
        columns = self.protocol.flagged_columns.get(part)
        if columns is not None and image is not None:
            way = self.messages.columns_of[str(columns.flagged)]
            prepared = Call(own("prepare"), (int_at(self.at[f"{image}_layout"]), way))
            zone = self.messages.in_zone((image,))
            return (
                assign(ROWS, prepared),
                *zone,
                Do(ROWS.call("write", SINK, int_at(self.at[f"{image}_row"]))),
            )
        writer = Writer()
        written = WrittenKind(kind, None, "", "")
        self.messages.write_object(writer, self.protocol.objects[part], written)
        return (*self.messages.table_of(written.needs), *writer.all())

    def _value_block(self, kind: EventKind) -> Body:
        return self._block(kind, "value")

    def _key_block(self, kind: EventKind) -> Body:
        return self._block(kind, "key")

    def _block(self, kind: EventKind, of: str) -> Body:
        image = self._image(kind)
        if image is not None:
            given = (Literal(str(kind.cls)), int_at(self.at["table"]), int_at(self.at[f"{image}_layout"]))
            return (Do(SINK.call("raw", own(f"{of}_block_of_row")(*given))),)
        return (Do(SINK.call("raw", own(f"{of}_block")(Literal(str(kind.cls))))),)
