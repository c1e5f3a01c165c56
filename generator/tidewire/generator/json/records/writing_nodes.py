"""The plan that the template of record encoders prints."""

from __future__ import annotations

from dataclasses import dataclass

from ...syntax.nodes import Expression, Method


@dataclass(frozen=True)
class RecordEncoderPlan:
    """The plan of an encoder's module."""

    source: str
    protocol: str
    module: str
    title: str
    about: str
    options: tuple[tuple[str, str, str], ...]
    """The encoder's options: attribute, annotation and C type of each."""
    values: str
    """The value table that encodes row images."""
    differs: bool
    """Whether producers encode values of some type differently."""
    producers: tuple[str, ...]
    flags: Expression
    """For each choice of columns, the flag of the columns that are written."""
    described: str
    """The constant of the record that describes a table."""
    classes: tuple[str, ...]
    """The classes of statements that events can have."""
    symbols: tuple[tuple[str, bytes], ...]
    """The encoded symbol of each class."""
    looking: tuple[Method, ...]
    """The methods that check events before they are written."""
    writing: tuple[Method, ...]
    """The methods that write messages: any message, those of one kind, and records shared by several kinds."""
    example: str
