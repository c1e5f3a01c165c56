"""The plan that the template of an encoder's module prints."""

from __future__ import annotations

from dataclasses import dataclass

from ..syntax.nodes import Expression, Method, Name


@dataclass(frozen=True)
class WrittenCase:
    """The events with one code on the wire."""

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
    """The encoder's options: attribute, annotation and C type of each."""
    numbers: tuple[str, ...]
    sinks: tuple[str, ...]
    dictionaries: tuple[str, ...]
    terms: tuple[tuple[str, str], ...]
    """The encoder's attributes for the dictionaries of schema, table and column names, each with its dictionary."""
    cases: tuple[WrittenCase, ...]
    flags: Expression
    """For each choice of columns, the flag of the columns that are written."""
    looking: tuple[Method, ...]
    """The methods that check an event and return its row images."""
    most_bytes: str | None
    """The option that limits the estimated size of messages."""
    batches: tuple[Method, ...]
    """The methods that decide which events share a message."""
    times: tuple[str, ...]
    """The runtime functions that add the written times to every event."""
    type_limit: int
    methods: tuple[Method, ...]
    """The methods that write a message."""
