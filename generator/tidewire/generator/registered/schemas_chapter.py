"""The model of the chapter `schemas` of a spec: the form of record schemas, and where they are registered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..extract import about, located, need, word_list
from ..load import YamlNode
from ..words import Located, Word


@dataclass(frozen=True, kw_only=True, eq=False)
class ConnectStyle(Located):
    """The form of schemas translated from Kafka Connect."""

    fills_nulls: bool
    """Whether NULL in a column with a default is written as the parsed default."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Schemas(Located):
    """The form of record schemas, and the subjects they are registered under."""

    registry: Word
    """The option with the location of schemas."""
    topic: Word
    """The option with the topic."""
    subjects: Mapping[str, Word]
    """Subjects of key and value."""
    pointed: bool
    """Whether dots in a topic are kept in its subjects, as Kafka Connect does; otherwise they become underscores."""
    namespace: Word
    connect: ConnectStyle | None
    """None: schemas are not translated from Kafka Connect."""
    parameters: Word
    """The attribute with the parameters of a column's type."""
    by_id: Word | None = None
    """The option that orders columns by their ids: the one with which records have a checksum."""
    unsent: tuple[Word, ...]
    """The producers whose schemas contain the generated columns that rows lack."""
    refused: tuple[Word, ...]
    """The column types that have no records."""
    about: str

    @property
    def namespace_option(self) -> Word | None:
        """The option with the first part of the namespace; None: it begins with a name."""
        head, _, _ = self.namespace.partition("}")
        return Word(head[1:], self.namespace.location) if head.startswith("{") else None


def schemas(node: YamlNode) -> Schemas:
    """The model of the chapter."""
    return Schemas(
        **located(node),
        registry=need(node, "registry"),
        topic=need(node, "topic"),
        subjects={side: need(node["subjects"], side) for side, _ in node["subjects"].items()},
        pointed="connect" in node,
        namespace=need(node, "namespace"),
        connect=_connect(node["connect"]) if "connect" in node else None,
        parameters=need(node, "parameters"),
        unsent=word_list(node, "unsent"),
        refused=word_list(node, "refused"),
        about=about(node),
    )


def _connect(node: YamlNode) -> ConnectStyle:
    return ConnectStyle(**located(node), fills_nulls="nulls" in node)
