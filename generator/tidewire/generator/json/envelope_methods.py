"""The methods of an encoder whose messages are in Kafka Connect envelopes: keys, and the schema blocks of keys and
values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..model import EventKind
from ..syntax.calls import EVENT, RETURN_OK, int_at
from ..syntax.nodes import INT, Body, Do, Expression, Literal, Method, own
from .key_methods import KeyMethods, KeyPlanner
from .model import JsonProtocol
from .sink_calls import ONE_EVENT, SINK


class EnvelopeMethods(KeyMethods):
    """Plans the envelope methods."""

    def __init__(
        self,
        protocol: JsonProtocol,
        keys: KeyPlanner,
        at: Mapping[str, Expression],
        kind: Callable[[], Body],
    ) -> None:
        """

        Args:
            keys, kind: as in `KeyMethods`.
            at: the constants of the columns of events, by name.
        """
        super().__init__(protocol, keys, kind)
        self.at = at

    def all(self) -> tuple[Method, ...]:
        """All methods, in the order in which they are printed."""
        described = self.protocol.described
        assert described is not None, "messages in envelopes say when they were committed"
        at = Do(own("at_event")(EVENT, self.at[str(described.by)]))
        about = ("Looks when the event was committed.",)
        return (
            Method("begin_event", ONE_EVENT, INT, about, (at, *RETURN_OK), overrides=True),
            self.write_key("The payload of the event's key."),
            self.of_kinds("write_block", "The block that says what the value of the event is.", self._value_block),
            self.of_kinds("write_key_block", "The block that says what the key of the event is.", self._key_block),
        )

    def _value_block(self, kind: EventKind) -> Body:
        return self._block(kind, "value")

    def _key_block(self, kind: EventKind) -> Body:
        return self._block(kind, "key")

    def _block(self, kind: EventKind, of: str) -> Body:
        image = next(iter(self.keys.images(kind)), None)
        if image is not None:
            given = (Literal(str(kind.cls)), int_at(self.at["table"]), int_at(self.at[f"{image}_layout"]))
            return (Do(SINK.call("raw", own(f"{of}_block_of_row")(*given))),)
        return (Do(SINK.call("raw", own(f"{of}_block")(Literal(str(kind.cls))))),)
