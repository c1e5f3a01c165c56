"""Row images: the columns of a row before or after a change.

- A case names a member with rows for exactly the images that its kind of events has, each another one; every member
  with rows is named by a case.
- Where rows are carried, one member says the declared types of their columns, because nothing else says how the values
  are read; where they are not, none does.
- A flag is told by one member with names. A value table is what some rows are written by.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...problems import Problem, listed, problem, quoted
from ..model import DeclaredMember, JsonCase, MappedMember, NamesMember, RowsMember
from .context import JsonContext


def check(context: JsonContext) -> list[Problem]:
    """The problems of this pass."""
    found: list[Problem] = []
    used: set[str] = set()
    for case in context.told:
        if isinstance(case, JsonCase):
            found += _case(context, case)
            used |= {str(name) for name in case.images.values()}
    root = context.protocol.message
    members = [one for _, one in context.protocol.walk()]
    rows = [one for one in members if isinstance(one, RowsMember)]
    for one in rows:
        if one.name not in used or one.name not in root.members:
            text = f"no case has a row image in {quoted(one.name)}"
            found.append(problem(one.place, text, "Name it under images:, or remove it."))
    found += _types(context, [one for one in members if isinstance(one, DeclaredMember)], rows)
    told: dict[str, NamesMember] = {}
    for member in members:
        if isinstance(member, NamesMember):
            if member.flagged in told:
                text = f"{quoted(told[member.flagged].name)} tells already which columns are {member.flagged}"
                found.append(problem(member.flagged.place, text, "Two could disagree; keep one."))
            told.setdefault(member.flagged, member)
        if isinstance(member, NamesMember | DeclaredMember | MappedMember) and not rows:
            text = "there are no row images, so nothing has columns"
            found.append(problem(member.place, text, "Remove it."))
    for table in context.protocol.values.values():
        if table.name not in {str(one.values) for one in rows}:
            text = f"no rows are written by the value table {quoted(table.name)}"
            found.append(problem(table.place, text, "Name it in a member with rows, or remove it."))
    return found


def _case(context: JsonContext, case: JsonCase) -> Iterator[Problem]:
    kind = context.kind(case)
    images = context.images(kind)
    for image, name in case.images.items():
        member = context.protocol.message.members[name]
        if image not in images:
            text = f"events of kind {quoted(kind.name)} have no image {quoted(image)}"
            yield problem(name.place, text, f"They have {listed(images)}.")
        elif not isinstance(member, RowsMember):
            text = f"the member {quoted(name)} is {member.type}, a row image is in rows"
            yield problem(name.place, text, "Name a member of type rows.")
        elif not member.is_of(kind.cls):
            text = f"the member {quoted(name)} is not there for events of class {quoted(kind.cls)}"
            yield problem(name.place, text, f"Add {kind.cls} to its of:.")
    names = [str(name) for name in case.images.values()]
    for twice in dict.fromkeys(one for one in names if names.count(one) > 1):
        yield problem(case.at("images"), f"two images are in {quoted(twice)}", "Give each a member of its own.")
    missing = [image for image in images if image not in case.images]
    if missing:
        text = f"events of kind {quoted(kind.name)} have the row image {listed(missing)}, which nothing carries"
        yield problem(case.place, text, f"Say images: {{{missing[0]}: MEMBER}}.")


def _types(context: JsonContext, declared: list[DeclaredMember], rows: list[RowsMember]) -> Iterator[Problem]:
    if rows and not declared:
        text = "nothing says the types of the columns, so nothing says how values are read"
        yield problem(rows[0].place, text, "Say type: by_column and column: mysql_type in a member.")
    for one in declared[1:]:
        text = f"{quoted(declared[0].name)} says the columns' types already"
        yield problem(one.at("column"), text, "Two could disagree; keep one.")
    for standing in context.standing:
        if rows and standing.member in declared[:1]:
            place = standing.member.place
            for option in standing.options:
                text = f"the columns' types are only written with {option}"
                yield problem(place, text, "Nothing else says how values are read; remove the when:.")
            classes = [cls for cls in context.carried() if context.spec.events.classes[cls].images]
            missing = [cls for cls in classes if cls not in standing.classes]
            if missing:
                text = f"events of class {listed(missing)} have rows, whose columns' types are not written"
                yield problem(place, text, "Add the class to of:.")
