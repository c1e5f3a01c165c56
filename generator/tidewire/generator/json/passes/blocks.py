"""Schema blocks.

- Every message in an envelope has a block. Blocks of messages without rows have no columns, and no table in a name.
- Kafka Connect has a type for each member, and only scalars can have another one.
- The first field of a struct is never omitted. Fields that are listed in an order are in another one than members are;
  columns are in the order of the table.
- What is optional for a class is there for it.
- Nothing is stated of blocks where no message is in an envelope.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...problems import Problem, listed, problem, quoted
from ..connect_blocks import (
    BlockNode,
    key_blocks,
    ordered_fields,
    parts_of_blocks,
    stated_of_blocks,
    value_blocks,
)
from ..connect_words import NAMES
from ..described_model import ToldMember
from ..member_types import TEXTS
from ..model import ChangesMember, Member, ObjectMember, RowsMember, Scalar
from .context import JsonContext


def check(context: JsonContext) -> list[Problem]:
    """The problems of this pass."""
    envelope = context.protocol.envelope
    if envelope is None:
        stated = [one for one in stated_of_blocks(context.protocol) if one.words]
        return [problem(one.location, "no message has a schema block", "Remove it.") for one in stated]
    members = [one for part in context.protocol.objects.values() for one in part.members.values()]
    untyped = [one for one in members if not _has_type(one)]
    every = (one for part in parts_of_blocks(context.protocol) for one in part.members.values())
    typed = [one for one in every if one.block.type or one.block.fields]
    found = [problem(one.location, f"Kafka Connect has no type for {quoted(one.id)}", REMEDY) for one in untyped]
    for one in typed:
        if not isinstance(one, Scalar | ToldMember) or one.type == TEXTS:
            text = "the type of what is no scalar follows from it"
            found.append(problem(one.block.location, text, "Remove type: or fields:."))
        elif one.block.type and one.block.fields:
            text = f"a struct of these fields is no {one.block.type}"
            found.append(problem(one.block.location, text, "Remove type: or fields:."))
    found += [*_orders(context), *_optional(context)]
    missing = [cls for cls in context.carried() if cls not in map(str, envelope.blocks)]
    if missing:
        text = f"{quoted(envelope.name)} has no block for {listed(map(quoted, missing))}"
        found.append(problem(envelope.at("blocks"), text, "Say what such messages are called: {named: TEXT}."))
    if not found:
        found += _blocks(context)
    return found


def _orders(context: JsonContext) -> Iterator[Problem]:
    for columns in context.protocol.flagged_columns.values():
        if columns.block.order:
            text = "fields that are columns are in the order of the table"
            yield problem(columns.block.at("order"), text, "Remove order:.")
    for part in parts_of_blocks(context.protocol):
        if part.block.order and ordered_fields(part) == list(part.members.values()):
            text = f"the order of the fields is the one of the members of {quoted(part.name)}"
            yield problem(part.block.at("order"), text, "Remove order:.")


def _optional(context: JsonContext) -> Iterator[Problem]:
    """Classes for which a member can be null, but does not have it."""
    for one in (*context.standing, *context.standing_in_keys):
        for cls in one.member.block.optional_of:
            if cls not in one.classes:
                text = f"{quoted(one.member.id)} is not there for class {quoted(cls)}"
                yield problem(cls.location, text, f"It is there for {listed(one.classes)}.")


REMEDY = "A block has scalars, objects, rows by_column and changes of tables."


def _has_type(member: Member) -> bool:
    if isinstance(member, RowsMember):
        return member.single
    return isinstance(member, Scalar | ObjectMember | ChangesMember)


def _blocks(context: JsonContext) -> Iterator[Problem]:
    protocol = context.protocol
    for cls, node in (*key_blocks(protocol).items(), *value_blocks(protocol).items()):
        for one in _inside(node):
            if one.fields and one.fields[0].may_be_omitted:
                text = "the first field of a struct is not always there"
                yield problem(one.fields[0].words.location, text, "Put one before it that is.")
            rows = isinstance(one.said.get("fields"), str) or any(name in NAMES for name in one.words.braces)
            if rows and not context.spec.events.classes[cls].images:
                text = f"the block says the columns or the table of a row, and {quoted(cls)} has none"
                yield problem(one.words.location, text, "Remove what is of rows.")


def _inside(node: BlockNode) -> Iterator[BlockNode]:
    """A node, and all nodes in it."""
    yield node
    items = node.said.get("items")
    for one in (*node.fields, *((items,) if isinstance(items, BlockNode) else ())):
        yield from _inside(one)
