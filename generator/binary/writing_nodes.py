"""What the template of an encoder's module prints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..syntax.nodes import Body, Expression, Method, Name


@dataclass(frozen=True)
class WrittenCase:
    """The events of one code of the wire."""

    code: Expression
    kinds: tuple[Name, ...]


@dataclass(frozen=True)
class PlannedKeep:
    """An option that keeps some columns of a row image only: those with a flag, of the events of a kind."""

    option: str
    kind: Name
    layout: Expression
    flag: Expression


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
    names_terms: Expression
    """The dictionary that numbers the names of columns, or None."""
    cases: tuple[WrittenCase, ...]
    checks: Body
    """What is looked at in an event before it is written."""
    keeps: tuple[PlannedKeep, ...]
    most_bytes: str | None
    """The option that limits the size of messages by an estimate."""
    batches: tuple[Method, ...]
    """What says which events share a message."""
    table_terms: tuple[str | None, str | None]
    """The dictionaries that number the names of schemas and of tables."""
    at: Mapping[str, Expression]
    """The constant of each column of events."""
    times: tuple[str, ...]
    """The functions of the runtime that give every event the times that are written."""
    type_limit: int
    methods: tuple[Method, ...]
    """What writes a message."""
