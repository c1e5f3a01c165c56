"""What the template of an encoder's module prints."""

from __future__ import annotations

from dataclasses import dataclass

from ..syntax.nodes import Expression, Method, Name


@dataclass(frozen=True)
class WrittenCase:
    """The events of one code of the wire."""

    code: Expression
    kinds: tuple[Name, ...]


@dataclass(frozen=True)
class EncoderPlan:
    """An encoder's module."""

    source: str
    protocol: str
    module: str
    title: str
    about: str
    value_table: str
    options: tuple[tuple[str, str, str], ...]
    """Field, annotation and type in compiled code of each option."""
    numbers: tuple[str, ...]
    sinks: tuple[str, ...]
    dictionaries: tuple[str, ...]
    terms: tuple[tuple[str, str], ...]
    """The encoder's attributes for what numbers names of schemas, tables and columns, and the dictionaries that do."""
    cases: tuple[WrittenCase, ...]
    flags: Expression
    """The flag of the columns that are written in each way."""
    looking: tuple[Method, ...]
    """What looks at an event and gets its row images."""
    most_bytes: str | None
    """The option that limits the size of messages by an estimate."""
    batches: tuple[Method, ...]
    """What says which events share a message."""
    times: tuple[str, ...]
    """The functions of the runtime that give every event the times that are written."""
    type_limit: int
    methods: tuple[Method, ...]
    """What writes a message."""
