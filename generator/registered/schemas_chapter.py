"""How the schemas of records are made, and where they are registered: the chapter `schemas` of a spec."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..extract import about, flag, located, need, word, word_list
from ..load import YamlNode
from ..words import Located, Word


@dataclass(frozen=True, kw_only=True, eq=False)
class ConnectStyle(Located):
    """What schemas are like that stand for those of Kafka Connect."""

    fills_nulls: bool
    """Whether NULL in a column with a default is written as what comes of parsing the default."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Schemas(Located):
    """How schemas of records are made, and under which subjects they are registered."""

    registry: Word
    """The option that says where schemas are."""
    topic: Word
    """The option that says to which topic messages are written."""
    subjects: Mapping[str, Word]
    """Of key and value."""
    pointed: bool
    """Whether points of a topic are points in its subjects; else they are underscores."""
    namespace: Word
    connect: ConnectStyle | None
    """None: schemas stand for none of Kafka Connect."""
    parameters: Word
    """The name under which a column's type has its parameters."""
    by_id: Word | None
    """The option with which columns are in the order of their ids."""
    unsent: tuple[Word, ...]
    """The producers whose schemas have the generated columns that rows lack."""
    refuses: tuple[Word, ...]
    """The types of columns that no record has."""
    about: str

    @property
    def namespace_option(self) -> Word | None:
        """The option with which the namespace begins; None: it begins with a name."""
        head, _, _ = self.namespace.partition("}")
        return Word(head[1:], self.namespace.location) if head.startswith("{") else None


def schemas(node: YamlNode) -> Schemas:
    """The model of the chapter."""
    return Schemas(
        **located(node),
        registry=need(node, "registry"),
        topic=need(node, "topic"),
        subjects={side: need(node["subjects"], side) for side, _ in node["subjects"].items()},
        pointed=flag(node, "pointed"),
        namespace=need(node, "namespace"),
        connect=_connect(node["connect"]) if "connect" in node else None,
        parameters=need(node, "parameters"),
        by_id=word(node, "by_id"),
        unsent=word_list(node, "unsent"),
        refuses=word_list(node, "refuses"),
        about=about(node),
    )


def _connect(node: YamlNode) -> ConnectStyle:
    return ConnectStyle(**located(node), fills_nulls="nulls" in node)
