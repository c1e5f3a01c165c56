"""Forms of columns that can be told apart, with codecs that fit them, and structs of which none holds itself."""

from __future__ import annotations

from collections.abc import Iterator

from ...problems import Problem, problem, quoted
from ...words import Word
from ..connect_blocks import BlockNode
from ..connect_forms import ConnectForms, FormOfColumns
from .column_lines import fitting_codec
from .context import JsonContext


def check(context: JsonContext) -> list[Problem]:
    """Words that do not go together."""
    said = context.protocol.connect
    if said is None:
        return []
    found = [*_forms(said), *_circles(said), *_behind_others(said)]
    for one in said.columns:
        found += fitting_codec(context, one)
    for struct in said.structs.values():
        found += _first_fields(said, struct)
    return found


def _forms(said: ConnectForms) -> Iterator[Problem]:
    """Forms that cannot be told apart, and those of no column."""
    words: dict[tuple[str, str | None], Word] = {}
    used = {str(one.form) for one in said.columns}
    for form in said.forms:
        first = words.setdefault((form.type, form.semantic), form.name)
        if first is not form.name:
            text = f"the forms {quoted(first)} and {quoted(form.name)} are told by the same words"
            yield problem(form.location, text, "A reader could not tell them apart; keep one.")
        elif str(form.name) not in used:
            text = f"no column is in the form {quoted(form.name)}"
            yield problem(form.location, text, "Remove it, or say in columns: which columns are.")


def _behind_others(said: ConnectForms) -> Iterator[Problem]:
    """Lines that no column reaches, as one before takes all of theirs."""
    for at, one in enumerate(said.columns):
        for before in said.columns[:at]:
            if (
                one.mode is None
                and not one.bare
                and set(map(str, one.types)) <= set(map(str, before.types))
                and _takes_all(before, one)
            ):
                text = "a line before takes all of these columns"
                yield problem(one.location, text, f"Put it before that of line {before.location.line}, or remove it.")
                break


def _takes_all(before: FormOfColumns, one: FormOfColumns) -> bool:
    """Whether a line takes whatever a later one does; read ones are told by their form, too."""
    if before.reads and not one.reads:
        return False
    if one.reads and before.form != one.form:
        return False
    narrows = (before.length, before.fraction) != (None, None) or before.unscaled
    return not narrows and before.flagged in (None, one.flagged) and before.unflagged in (None, one.unflagged)


def _first_fields(said: ConnectForms, node: BlockNode) -> Iterator[Problem]:
    """First fields that are not always there: what follows would begin with a comma."""
    for at, inner in enumerate(node.inner):
        field = said.structs[inner] if isinstance(inner, Word) else inner
        if at == 0 and (field.optional or field.of):
            text = "the first field of a struct is not always there"
            yield problem(node.at("fields"), text, "Put one before it that is.")
        if isinstance(inner, BlockNode):
            yield from _first_fields(said, inner)


def _circles(said: ConnectForms) -> Iterator[Problem]:
    """Structs that hold themselves."""
    done: set[str] = set()

    def walk(node: BlockNode, path: tuple[str, ...]) -> Iterator[Problem]:
        for inner in node.inner:
            if isinstance(inner, BlockNode):
                yield from walk(inner, path)
            elif str(inner) in path:
                circle = " -> ".join((*path[path.index(str(inner)) :], str(inner)))
                yield problem(inner.location, f"the struct holds itself: {circle}", "JSON cannot; leave one out.")
            elif str(inner) not in done and inner in said.structs:
                yield from walk(said.structs[inner], (*path, str(inner)))
                done.add(str(inner))

    for name, node in said.structs.items():
        if str(name) not in done:
            yield from walk(node, (str(name),))
            done.add(str(name))
