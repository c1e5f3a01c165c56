"""Messages that cannot be decoded: listed, saved and counted, with a hint if they look like another protocol's."""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import IO, Any

import tidewire
from tidewire.cli.seen_tables import told
from tidewire.cli.shell import complain, json_text, many
from tidewire.messages.detecting.mixed import whose
from tidewire.reading.files.formats import Input
from tidewire.runtime.errors import MissingTableError
from tidewire.runtime.registered.errors import MissingSchemaError

LISTED = 20
"""Number of bad messages that are listed one by one; the others are counted."""
MOST_UNLIKE = 1024
"""Number of bad messages that fit no other protocol. After so many, bad messages are not tried with other protocols."""


class Troubles:
    """Collects the errors of a command's messages.

    Args:
        protocol: name of the protocol.
        kept: file to save bad messages in; None for none.
        options: options given by the user, and detected ones.

    Attributes:
        bad: number of messages that could not be read.
    """

    def __init__(
        self, protocol: str, kept: IO[str] | None = None, options: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        self.bad = 0
        self._protocol = protocol
        self._kept = kept
        self._options = {name.replace("_", "-"): value for name, value in options.items()}
        self._others: Counter[str] = Counter()
        self._places: dict[str, str] = {}
        self._unlike = 0
        self._messages = 0
        self._listed = 0
        self._strangers = 0
        self._first: Any = None
        self._schemaless: Counter[str] = Counter()

    def unreadable(self, batch: Sequence[Input]) -> list[Input]:
        """The messages of a batch; lines that should contain one and do not are reported."""
        self._messages += len(batch)
        for one in batch:
            if one.problem is not None:
                self._report(one, one.problem, {}, True)
        return [one for one in batch if one.problem is None]

    def errors(self, batch: Sequence[Input], errors: Sequence[Any]) -> None:
        """Reports messages that could not be decoded."""
        bad = [batch[error.message or 0] for error in errors]
        others = self._whose(bad, errors)
        for at, (error, message) in enumerate(zip(errors, bad, strict=True)):
            where = {"field": error.field, "offset": error.offset, "code": error.code}
            if error.part:
                where = {"part": error.part, **where}
            if at in others:
                self._others[others[at]] += 1
                self._places.setdefault(others[at], message.location)
                error = error.with_detail(error.detail, others[at])
            elif error.looks_like is not None and self._others:
                error = error.with_detail(error.detail)  # that is so of the messages around it
            elif error.looks_like is not None:
                self._strangers += 1
                self._first = self._first or error
            self._report(message, told(error), where, error.looks_like is None and not self._again(error))

    def finish(self, what: str = "could not be decoded") -> int:
        """Prints the number of bad messages, and returns it."""
        for other, count in self._others.items():
            complain(
                f"{many(count, 'message')} of {other}, the first {self._places[other]}, {what} as {self._protocol}: "
                f"read them with -p {other}"
            )
        if self._strangers:
            field = f"{self._first.part} {self._first.field}".strip()
            first = f"{field}: {self._first.detail}"
            like, own = self._first.looks_like, self._protocol
            name, _, option = like.partition(" with ")
            remedy = f"give -o {option}" if name == own and "=" in option else f"give {like} in place of {own}"
            if name == own and "=" not in option:
                remedy = f"leave {option.removeprefix('another ')} out"
            are = "cannot be read so" if name == own else f"are no {own}"
            complain(
                f"{self._strangers:,} of {many(self._messages, 'message')} {are} (the first: {first}); "
                f"they look like {like}: {remedy}"
            )
        for reason, count in self._schemaless.items():
            if count > 1:
                complain(f"{many(count - 1, 'more message')}: {reason.partition(': ')[0]}")
        left = self.bad - self._strangers - self._others.total()
        if left:
            again = sum(self._schemaless.values()) - len(self._schemaless)
            more = f", {left - again - LISTED:,} of them are not listed" if left - again > LISTED else ""
            complain(f"{many(left, 'message')} {what}{more}")
        return self.bad

    def _whose(self, messages: Sequence[Input], errors: Sequence[Any]) -> dict[int, str]:
        """The protocols of bad messages that are of another protocol than the good ones, by index."""
        if self._unlike >= MOST_UNLIKE:
            return {at: error.looks_like for at, error in enumerate(errors) if error.looks_like in self._others}
        if not messages or (not self._others and any(error.looks_like is not None for error in errors)):
            return {}
        known = tidewire.protocols()
        names = dict.fromkeys([*self._others, *(name for name in known if name != self._protocol)])
        keys = [one.key for one in messages]
        found = whose(
            {name: known[name].load() for name in names},
            [one.value for one in messages],
            keys if any(keys) else None,
            self._options,
        )
        self._unlike += len(messages) - len(found)
        return found

    def _again(self, error: Any) -> bool:
        """Whether the same missing schema or table description was reported before; it is then only counted."""
        if isinstance(error, MissingTableError):
            lacks = ".".join(f"`{one}`" for one in (error.schema, error.table) if one is not None)
            lacks = f"the table {lacks} is not described"
        elif isinstance(error, MissingSchemaError):
            lacks = error.detail
        else:
            return False
        if lacks not in self._schemaless and len(self._schemaless) == LISTED:
            return False
        self._schemaless[lacks] += 1
        return self._schemaless[lacks] > 1

    def _report(self, message: Input, reason: str, where: dict[str, Any], listed: bool) -> None:
        self.bad += 1
        if listed:
            self._listed += 1
            if self._listed <= LISTED:
                complain(f"{message.location}: {reason}")
        if self._kept is not None:
            line = {
                "location": message.location,
                "reason": reason,
                **where,
                **(message.record or {}),
                "key": None if message.key is None else base64.b64encode(message.key).decode(),
                "value": None if message.value is None else base64.b64encode(message.value).decode(),
            }
            self._kept.write(json_text(line) + "\n")
