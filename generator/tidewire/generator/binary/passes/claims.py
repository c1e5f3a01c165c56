"""Every number on the wire is determined by exactly one statement, so that an encoder can compute it.

- An integer section is a const, or carries an event field, or is claimed by exactly one `size`, `count` or `image`.
- A text or a float is a const or carries an event field.
- A chunk carries an event field, or describes a column (`column`), or selects the case of the event (`switch`): exactly
  one of them.
- Every named number of a table is claimed once by a `size`, every other row once by an `each`. A `count` of a row only
  states that there are as many elements as the row has numbers, and does not count.
- Tables are referred to by sections of the root, a repeated row by a section of the case that `when` names: the row
  refers to the switch and repeats the row by which the choice is repeated.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...problems import Location, Problem, listed, problem, quoted
from ..model import Chunks, ColumnField, Section, Sections, Tables
from ..references import Missing, NumberKind
from ..uses import Claim
from .context import BinaryContext


def check(context: BinaryContext) -> list[Problem]:
    """The problems of this pass."""
    claims: dict[tuple[str, ...], list[Claim]] = {}
    for claim in context.claims:
        if claim.derives:
            claims.setdefault(claim.number.key, []).append(claim)
    found: list[Problem] = []
    for part in context.parts_of_sections():
        for section in part.sections:
            if section.type is not None:
                found += _section(context, section, claims.get((part.name, section.id), []))
            held = context.references.part_of(section)
            if isinstance(held, Tables):
                found += _rows(part, section, held, claims)
    for holder in context.parts_of_chunks():
        for field in holder.columns:
            found += _field(context, holder, field)
    for claim in context.claims:
        found += _scope(context, claim)
    found += _repeats(context)
    return found


def _section(context: BinaryContext, section: Section, claims: list[Claim]) -> Iterator[Problem]:
    primitive = context.primitive(section)
    given = [word for word in ("const", "event") if getattr(section, word) is not None]
    by = [f"{claim.by.value}: of {claim.part.name}.{claim.section.id}" for claim in claims]
    statements = [f"{word}:" for word in given] + by
    if not statements:
        if primitive is not None and primitive.integer:
            text = f"{quoted(section.id)} is a number nobody derives"
            yield problem(
                section.location, text, "Say const: or event: here, or refer to it with size:, count: or image:."
            )
        else:
            yield problem(section.location, f"nobody says what {quoted(section.id)} is", "Say const: or event:.")
    if len(statements) > 1:
        yield problem(
            claims[-1].ref.location if claims else section.at(given[-1]),
            f"{len(statements)} statements claim {quoted(section.id)}: {listed(statements)}",
            "A writer must know which to follow; keep one.",
        )


def _rows(
    part: Sections, section: Section, tables: Tables, claims: dict[tuple[str, ...], list[Claim]]
) -> Iterator[Problem]:
    for row in tables.rows:
        if row.numbers:
            for number in row.numbers:
                key = (str(part.name), str(section.id), str(row.id), str(number))
                yield from _once(claims.get(key, []), ".".join(key[1:]), number.location, "size")
        else:
            whole = (str(part.name), str(section.id), str(row.id))
            yield from _once(claims.get(whole, []), ".".join(whole[1:]), row.id.location, "each")


def _once(claims: list[Claim], name: str, location: Location, word: str) -> Iterator[Problem]:
    if not claims:
        text = f"{quoted(name)} is a size nobody derives"
        yield problem(location, text, f"Say {word}: {name} in the section that it is the size of, or remove it.")
    if len(claims) > 1:
        users = listed(f"{one.part.name}.{one.section.id}" for one in claims)
        text = f"{len(claims)} sections claim {quoted(name)}: {users}"
        yield problem(claims[1].ref.location, text, "Give each a number of its own.")


def _field(context: BinaryContext, part: Chunks, field: ColumnField) -> Iterator[Problem]:
    given = [f"{word}:" for word in ("event", "column", "switch") if getattr(field, word)]
    if not given:
        yield problem(field.location, f"nobody says what {quoted(field.id)} is", "Say event:, column: or switch: true.")
    use = context.references.field(context.switch[1].by)
    if field.switch and not (not isinstance(use, Missing) and use.field is field):
        text = f"no choice goes by {quoted(f'{part.name}.{field.id}')}"
        yield problem(field.at("switch"), text, "Remove switch:, or name the field in by: of the choice.")
    if len(given) > 1:
        text = f"{len(given)} statements claim {quoted(f'{part.name}.{field.id}')}: {listed(given)}"
        yield problem(field.location, text, "A writer must know which to follow; keep one.")


def _scope(context: BinaryContext, claim: Claim) -> Iterator[Problem]:
    """Reports references from a repeated part to a table or row that a message has only once."""
    kind = claim.number.kind
    if kind in (NumberKind.NAMED, NumberKind.ROW) and claim.part is not context.root:
        yield problem(
            claim.ref.location,
            f"{quoted(claim.ref)} is there once in a message, {quoted(claim.part.name)} is one of several",
            "Refer to it in the root, or let the row repeat.",
        )
    row = claim.number.row
    if kind is NumberKind.REPEATED and row is not None and row.when is not None:
        member = row.when[1]
        case = context.switch[1].cases.get(member)
        if case is not None and case.part != claim.part.name:
            text = f"the row {quoted(row.id)} is there when {row.when[0]} is {member}, {quoted(claim.part.name)} is not"
            yield problem(claim.ref.location, text, f"Refer to it in {quoted(case.part)}, the part of that case.")


def _repeats(context: BinaryContext) -> Iterator[Problem]:
    section, choice = context.switch
    for part in context.protocol.parts.values():
        for row in part.rows if isinstance(part, Tables) else ():
            if row.repeat is None or row.when is None:
                continue
            if row.when[0] != choice.by:
                text = f"the choice goes by {choice.by}, the row by {row.when[0]}"
                yield problem(row.at("when"), text, f"Say when: {{{choice.by}: ...}}.")
            if section.each is not None and section.each.parts[-1] != row.repeat:
                text = f"events are counted by {section.each}, the row repeats {row.repeat}"
                yield problem(row.at("each"), text, f"Say each: {section.each.parts[-1]}.")
