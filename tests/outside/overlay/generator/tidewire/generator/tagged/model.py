"""The model of a protocol whose values are tagged fields, built from YAML that has passed its JSON Schema."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tidewire.generator.build_common import common
from tidewire.generator.extract import about, entries, flag, key_word, located, need, number, word
from tidewire.generator.load import YamlNode
from tidewire.generator.model import Protocol
from tidewire.generator.words import Located, Word


@dataclass(frozen=True, kw_only=True, eq=False)
class Field(Located):
    """A field: what happened (`switch`), a field of the event, a column of a row image, or a fact about the column."""

    id: Word
    number: int
    wire: Word
    switch: bool
    event: Word | None
    image: Word | None
    part: Word | None
    column: Word | None
    values: Word | None
    about: str

    @property
    def counts(self) -> bool:
        """Whether it is a number."""
        return self.wire in ("uvarint", "fixed64")


@dataclass(frozen=True, kw_only=True, eq=False)
class Case(Located):
    """A kind of events, and its number."""

    kind: Word
    number: int


@dataclass(frozen=True, kw_only=True, eq=False)
class TaggedProtocol(Protocol):
    """A protocol whose values are tagged fields."""

    parts: Mapping[str, tuple[Field, ...]]
    cases: tuple[Case, ...]
    unlisted: Word | None
    """The option with which readers skip unlisted fields."""

    @property
    def fields(self) -> tuple[Field, ...]:
        """The fields of a message."""
        return self.parts[self.root]

    @property
    def column(self) -> tuple[Field, ...]:
        """The fields of a column of a row image."""
        return next((self.parts[str(one.part)] for one in self.fields if one.part in self.parts), ())

    @property
    def read_modes(self) -> tuple[str, ...]:
        return super().read_modes if self.unlisted is None else (*super().read_modes, str(self.unlisted))

    def saying(self, fact: str) -> Field | None:
        """The field with a fact about columns."""
        return next((one for one in self.column if one.column == fact), None)


def protocol(top: YamlNode, file: str) -> TaggedProtocol:
    """The model of a protocol's file; `file` is its name in reports."""
    root = top["parts"][need(top["root"], "value")]
    return TaggedProtocol(
        **common(top, file),
        parts={name: tuple(_field(one) for one in part["tagged"].list()) for name, part in top["parts"].items()},
        cases=tuple(
            Case(**located(top), kind=key_word(root["cases"], kind), number=number(root["cases"], kind) or 0)
            for kind, _ in entries(root, "cases")
        ),
        unlisted=word(top, "unlisted"),
    )


def _field(node: YamlNode) -> Field:
    return Field(
        **located(node),
        event=word(node, "event"),
        image=word(node, "image"),
        part=word(node, "part"),
        column=word(node, "column"),
        values=word(node, "values"),
        id=need(node, "id"),
        number=number(node, "number") or 0,
        wire=need(node, "wire"),
        switch=flag(node, "switch"),
        about=about(node),
    )
