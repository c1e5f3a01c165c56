"""What the template of an encoder of records prints."""

from __future__ import annotations

from dataclasses import dataclass

from ...syntax.nodes import Expression, Method


@dataclass(frozen=True)
class RecordEncoderPlan:
    """An encoder's module."""

    source: str
    protocol: str
    module: str
    title: str
    about: str
    options: tuple[tuple[str, str, str], ...]
    """Field, annotation and C type of each option that the encoder takes."""
    values: str
    """The value table that row images are written with."""
    differs: bool
    """Whether producers write values of some type in other ways."""
    producers: tuple[str, ...]
    flags: Expression
    """The flag of the columns that are written in each way."""
    described: str
    """The constant of the record that describes a table."""
    classes: tuple[str, ...]
    """The classes of statements that events can say."""
    symbols: tuple[tuple[str, bytes], ...]
    """How each class is written."""
    looking: tuple[Method, ...]
    """What looks at events before they are written."""
    writing: tuple[Method, ...]
    """What writes messages: all, those of a kind, and records that are in several."""
    example: str
