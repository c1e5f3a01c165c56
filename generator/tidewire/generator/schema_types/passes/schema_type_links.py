"""Every name in the chapter `schema_types` refers to something of the right kind.

- A reference to another protocol's chapter names a protocol with a chapter of its own. Options and producers of lines
  are those of a protocol that uses the chapter; words for all lines name options of every such protocol.
- Column types and flags are in mysql_types.yaml; codecs belong to the wire; schema types are in the chapter. A schema
  type stands for a type that a column can be declared with.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...model import Option, Protocol, Spec
from ...passes.common import CommonContext, named, named_codec, one_of_such
from ...problems import Problem, problem, quoted
from ...words import Word
from ..lines import LineOfColumns
from ..model import SchemaTypes


def check(context: CommonContext) -> list[Problem]:
    """Reports names that do not exist: protocols, options, producers, types."""
    protocol, said = context.protocol, context.protocol.schema_types
    if said is None:
        return []
    found: list[Problem] = []
    if said.like is not None:
        own = [
            *(name for name, one in context.spec.protocols.items() if name != protocol.name and _has_own(one)),
            *context.spec.unreadable,
        ]
        found += one_of_such(said.like, "other protocol with schema types", own, "other protocols with schema types")
    if said.exact is not None:
        found += named(said.exact.when, "option", protocol.options)
    owner = protocol if said.like is None else context.spec.protocols.get(said.like, protocol)
    return [*found, *_chapter(context, said, list(_sharing(context.spec, owner)))]


def _has_own(protocol: Protocol) -> bool:
    return protocol.schema_types is not None and protocol.schema_types.like is None


def _chapter(context: CommonContext, said: SchemaTypes, sharing: list[Protocol]) -> Iterator[Problem]:
    types = context.spec.mysql_types
    for name in () if said.exact is None else said.exact.plain:
        yield from named(name, "column type", types.types, "column types")
    for one in said.types.values():
        if types.declared(one.stands_for.partition("(")[0]) is None:
            text = f"{quoted(one.stands_for)} declares no column"
            yield problem(one.stands_for.location, text, "Write a type as CREATE TABLE has it.")
    for line in said.columns:
        yield from _line(context, said, line, sharing)


def _sharing(spec: Spec, own: Protocol) -> Iterator[Protocol]:
    """The protocol, and those that share its chapter."""
    yield own
    for protocol in spec.protocols.values():
        if protocol.schema_types is not None and protocol.schema_types.like == own.name:
            yield protocol


def _line(context: CommonContext, said: SchemaTypes, line: LineOfColumns, sharing: list[Protocol]) -> Iterator[Problem]:
    types = context.spec.mysql_types
    for wire, codec in line.codecs.items():
        yield from named_codec(context.spec, codec, wire)
    for flag in (line.flagged, line.unflagged):
        yield from named(flag, "flag", types.flags)
    for name in line.types:
        yield from named(name, "column type", types.types, "column types")
    yield from named(line.schema, "schema type", said.types)
    for producer in line.producers:
        yield from named(producer, "producer", dict.fromkeys(who for one in sharing for who in one.producers))
    options = {name: option for one in sharing for name, option in one.options.items()}
    for chosen in (line.when, line.mode):
        if chosen is not None:
            yield from _choice(*chosen, options)


def _choice(name: Word, choice: Word, options: Mapping[str, Option]) -> Iterator[Problem]:
    """Problems of an option or its choice."""
    option = options.get(name)
    yield from named(name, "option", options)
    if option is not None and option.choices:
        yield from named(choice, "choice", option.choices)
