"""Schema blocks.

- Every message in an envelope has a block. Blocks of messages without rows have no columns, and no table in a name.
- Kafka Connect has a type for each member, and only scalars can have another one.
- The first field of a struct is never omitted.
- Nothing is stated of blocks where no message is in an envelope.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...problems import Problem, listed, problem, quoted
from ..connect_blocks import BlockNode, key_blocks, parts_of_blocks, stated_of_blocks, value_blocks
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
    missing = [cls for cls in context.carried() if cls not in map(str, envelope.blocks)]
    if missing:
        text = f"{quoted(envelope.name)} has no block for {listed(map(quoted, missing))}"
        found.append(problem(envelope.at("blocks"), text, "Say what such messages are called: {named: TEXT}."))
    if not found:
        found += _blocks(context)
    return found


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
