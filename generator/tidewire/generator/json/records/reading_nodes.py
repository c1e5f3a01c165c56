"""The plan that the template of record decoders prints."""

from __future__ import annotations

from dataclasses import dataclass

from ...plan.values import PlannedValues
from ...syntax.nodes import Expression, Method
from ..reading_nodes import KeptAttribute, PlannedPart


@dataclass(frozen=True)
class RecordDecoderPlan:
    """The plan of a decoder's module."""

    source: str
    protocol: str
    module: str
    title: str
    about: str
    fields: tuple[str, ...]
    constants: tuple[str, ...]
    values: PlannedValues
    modules: tuple[str, ...]
    """The modules of runtime codecs, relative to the folder of records."""
    errors: tuple[str, ...]
    """The kinds of errors that the module uses."""
    kinds: Expression
    """The branches of the union of a value."""
    branches: tuple[str, ...]
    """The runtime's names of these branches."""
    symbols: tuple[bytes, ...]
    """The symbols of the enum for classes of statements."""
    kept: tuple[KeptAttribute, ...]
    """The decoder's attributes for what was read of a message."""
    descriptions: tuple[str, ...]
    """The attributes that are table descriptions."""
    version: str
    """The constant of the field with the version of the description."""
    members: int
    """The number of fields that hold rows."""
    methods: tuple[Method, ...]
    """The methods that read a message and make its events."""
    parts: tuple[PlannedPart, ...]
    """The describing records, inner ones first."""
    described: str
    """The name of the record that describes a table."""
    example: str
    """A method that reads rows, for examples in docstrings."""
