"""Row images.

- A case names row members of the message, all different, that are present for its events; every row member is named by
  a case. All rows use one value table and one location field.
- A case that keeps some columns of an image has it, and no option keeps columns of the same.
- Members that describe columns need rows.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...model import Keep
from ...problems import Problem, listed, problem, quoted
from ..model import DeclaredMember, JsonCase, MappedMember, NamesMember, RowsMember
from .context import JsonContext


def check(context: JsonContext) -> list[Problem]:
    """The problems of this pass."""
    found: list[Problem] = []
    used: set[str] = set()
    for case in context.cases:
        if isinstance(case, JsonCase):
            found += _case(context, case)
            used |= {str(name) for name in case.images.values()}
    root = context.protocol.message
    members = [one for _, one in context.protocol.walk()]
    rows = [one for one in members if isinstance(one, RowsMember)]
    for one in rows:
        if one.id not in used or root.members.get(one.id) is not one:
            text = f"no case has a row image in {quoted(one.id)}"
            found.append(problem(one.location, text, "Name it under images:, or remove it."))
        elif one.values != rows[0].values:
            text = f"the rows of {quoted(rows[0].id)} are written by another value table, {quoted(rows[0].values)}"
            found.append(problem(one.values.location, text, "Name the same."))

    for member in members:
        if isinstance(member, NamesMember | DeclaredMember | MappedMember) and not rows:
            text = "there are no row images, so nothing has columns"
            found.append(problem(member.location, text, "Remove it."))
    return found


def _case(context: JsonContext, case: JsonCase) -> Iterator[Problem]:
    kind = context.kind(case)
    for name in case.images.values():
        member = context.protocol.message.members[name]
        if not isinstance(member, RowsMember):
            text = f"the member {quoted(name)} is {member.type}, a row image is in a list of rows"
            yield problem(name.location, text, "Name one with list: {by_column: {column: value}}.")
        elif not member.is_of(kind.cls):
            text = f"the member {quoted(name)} is not there for events of class {quoted(kind.cls)}"
            yield problem(name.location, text, f"Add {kind.cls} to its of:.")
    if case.keep is not None:
        yield from _keep(context, case, case.keep)
    names = [str(name) for name in case.images.values()]
    for twice in dict.fromkeys(one for one in names if names.count(one) > 1):
        yield problem(case.at("images"), f"two images are in {quoted(twice)}", "Give each a member of its own.")


def _keep(context: JsonContext, case: JsonCase, keep: Keep) -> Iterator[Problem]:
    """Checks `keep` of a case, which selects columns: the case has the image, and no option has `keep` for it, too."""
    if keep.image not in case.images:
        text = f"the case {quoted(case.text)} has no image {quoted(keep.image)}"
        yield problem(keep.image.location, text, f"It has {listed(case.images)}.")
    elif keep.changed and len(case.images) < 2:
        text = f"the case {quoted(case.text)} has one row image, so none of its values has changed"
        yield problem(keep.at("changed"), text, "Say flagged:, or remove keep:.")
    for option in context.protocol.options.values():
        if option.keep is not None and (option.keep.event, option.keep.image) == (case.event, keep.image):
            text = f"the case {quoted(case.text)} says already which columns of this image are kept"
            yield problem(option.at("keep"), text, "Remove the option, or keep: of the case.")
