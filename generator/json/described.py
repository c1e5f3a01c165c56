"""The parts that describe tables, printed as data for the runtime (`runtime/json/described_parts.py`)."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Spec
from ..plan.constants import constant
from ..syntax.nodes import NONE, Expression, Items, Literal, Name
from .described_model import DescribedMember, DescribedPart, EachMember, InnerMember, ToldMember
from .member_types import TEXTS
from .model import OMIT, JsonProtocol
from .reading_nodes import PlannedPart

SEVERAL = {"column": "columns", "index": "indexes"}
"""The plural of each thing that a table has several of."""


def part_constant(name: str) -> str:
    """The name of the printed constant for a part."""
    return f"{constant(name)}_PART"


def planned_parts(spec: Spec, protocol: JsonProtocol) -> tuple[PlannedPart, ...]:
    """The plans of all described parts; a part comes after the parts that it contains."""
    parts = protocol.parts_described
    found: dict[str, DescribedPart] = {}

    def add(name: str) -> None:
        for member in parts[name].members.values():
            if not isinstance(member, ToldMember):
                add(str(member.part))
        found.setdefault(name, parts[name])

    for name in parts:
        add(name)
    return tuple(
        PlannedPart(
            part_constant(name),
            one.about,
            _part(spec, protocol, one),
            part_members(name),
            tuple((str(member.name), _expected(member)) for member in one.members.values()),
        )
        for name, one in found.items()
    )


def part_members(name: str) -> str:
    """The name of the printed constant with a part's members, for the dissector."""
    return f"MEMBERS_OF_{constant(name)}"


def _expected(member: DescribedMember) -> Expression:
    """What the dissector expects of a member (runtime/json/trace.py)."""
    about = Literal(member.about)
    if isinstance(member, ToldMember):
        return Name("Expected")(Literal("names" if member.type == TEXTS else member.type), about)
    shape = "list" if isinstance(member, EachMember) else "object"
    return Name("Expected")(Literal(shape), about, NONE, Name(part_members(member.part)))


def _part(spec: Spec, protocol: JsonProtocol, part: DescribedPart) -> Expression:
    members = Items(tuple(_member(spec, protocol, one) for one in part.members.values()))
    skip = () if part.skip_unknown else (Literal(False),)
    return Name("DescribedPart")(Literal(str(part.describes)), members, *skip)


def _member(spec: Spec, protocol: JsonProtocol, member: DescribedMember) -> Expression:
    name = Literal(str(member.name))
    if isinstance(member, InnerMember):
        return Name("Inner")(name, Name(part_constant(member.part)))
    if isinstance(member, EachMember):
        what = SEVERAL[protocol.parts_described[member.part].describes]
        by_id = (_texts(map(str, member.sorted)),) if member.sorted else ()
        return Name("Each")(name, Name(part_constant(member.part)), Literal(what), *by_id)
    last: list[Expression] = [Literal(member.absent == OMIT), Literal(member.absent == "null")]
    types = spec.mysql_types.types
    last += [_texts(str(one) for name in said for one in types[name].sql) for said in (member.numbers, member.silent)]
    while last and last[-1] in (Literal(False), NO_TEXTS):
        last.pop()
    return Name("Told")(name, Literal(str(member.tells)), Literal(member.type), *last)


NO_TEXTS = Items(())


def _texts(texts: Iterator[str]) -> Items:
    return Items(tuple(Literal(one) for one in texts))


def listed_by_id(protocol: JsonProtocol) -> tuple[str, ...]:
    """The producers that list the columns of a table in the order of their ids."""
    found = [
        member.sorted
        for part in protocol.parts_described.values()
        for member in part.members.values()
        if isinstance(member, EachMember) and protocol.parts_described[member.part].describes == "column"
    ]
    return tuple(str(name) for names in found for name in names)
