"""What the template of a decoder of records prints."""

from __future__ import annotations

from dataclasses import dataclass

from ...plan.values import PlannedValues
from ...syntax.nodes import Expression, Method
from ..reading_nodes import KeptAttribute


@dataclass(frozen=True)
class PlannedRecord:
    """A record that describes something, as the runtime's data."""

    name: str
    """Of the constant."""
    about: str
    construction: Expression


@dataclass(frozen=True)
class RecordDecoderPlan:
    """A decoder's module."""

    source: str
    protocol: str
    module: str
    title: str
    about: str
    fields: tuple[str, ...]
    constants: tuple[str, ...]
    values: PlannedValues
    modules: tuple[str, ...]
    """Of the runtime's codecs, below the folder of records."""
    errors: tuple[str, ...]
    """The kinds of trouble that the module names."""
    kinds: Expression
    """What the branches are that a value is one of."""
    branches: tuple[str, ...]
    """The runtime's names of them."""
    symbols: tuple[bytes, ...]
    """The texts of the enum that says the class of a statement."""
    kept: tuple[KeptAttribute, ...]
    """What the decoder keeps of a message."""
    descriptions: tuple[str, ...]
    """Those of them that are descriptions of tables."""
    version: str
    """The constant of the field with the version of the description by which rows are read."""
    members: int
    """How many fields hold rows."""
    methods: tuple[Method, ...]
    """What reads a message and makes events of it."""
    parts: tuple[PlannedRecord, ...]
    """The records that describe something, inner ones first."""
    described: str
    """The name of the one that describes a table."""
    example: str
    """The method that reads rows."""
