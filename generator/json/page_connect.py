"""What the page of a protocol says of schema blocks of Kafka Connect: how they describe columns, and what they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..model import Spec
from ..pages.markdown import EMPTY, Markdown, link, mono, names, say, sentence, series, together
from ..pages.parts import PagePart, PageTable
from ..pages.types import type_names
from ..words import Word
from .connect_blocks import BlockNode
from .connect_forms import ConnectForms, Form, FormOfColumns

DEFAULTS: Mapping[str, str] = {
    "bool": "true or false",
    "bits": "the bytes in base64, the lowest first",
    "number": "a number",
    "year": "a number",
    "days": "days since 1970",
    "millis": "milliseconds since 1970",
    "micros": "microseconds since 1970",
    "time": "microseconds",
    "zoned": "a text of ISO 8601 in UTC",
}
"""As what defaults are written, in words."""
HEADING = "Block"
"""What stands before the name of a block in its heading, to tell it from the part with that name."""
COLUMNS: Mapping[str, str] = {"columns": "table", "key_columns": "key"}
"""Whose columns a struct has, by what it says in the place of fields."""
UNSENT: Mapping[str, str] = {"last": "behind all others", "twice": "in their place and again behind all others"}
"""Where a block has the columns that rows do not have, in words."""
NULLS: Mapping[str, str] = {
    "defaults": "as the default",
    "parsed": (
        "as what comes of parsing the default: 0 of a TIME, of numbers from 2^63 on and of numbers whose default is an "
        "expression, a YEAR as declared"
    ),
}
"""As what NULL in a column with a default is written, in words."""


def connect_parts(spec: Spec, said: ConnectForms) -> list[PagePart]:
    """How columns are written, how others write them, and the blocks."""
    forms = {str(one.name): one for one in said.forms}
    written = [one for one in said.columns if not one.reads]
    read = [one for one in said.columns if one.reads]
    found = [_columns(spec, said, forms, written)]
    if read:
        about = Markdown("What other writers make of columns. It is read, and never written.")
        found.append(PagePart(Markdown("Columns that are read only"), about, (_column_table(spec, forms, read),)))
    found += [_block(said.structs, name) for name in said.structs]
    return found


def _columns(spec: Spec, said: ConnectForms, forms: Mapping[str, Form], lines: list[FormOfColumns]) -> PagePart:
    about = together(sentence(said.about), Markdown("A reader goes by what the block says."))
    notes = []
    if said.exact is not None:
        with_option = EMPTY if said.exact_when is None else say(" with {}", mono(said.exact_when))
        notes.append(
            say(
                "Blocks say TiDB's name of a column's type in {}{}, which a reader believes first.",
                mono(said.exact),
                with_option,
            )
        )
    if said.exact_plain:
        notes.append(say("Of {} that name is without UNSIGNED.", type_names(spec, said.exact_plain)))
    if said.unsent:
        shown = (say("by {} {}", mono(who), UNSENT[where]) for who, where in said.unsent.items())
        notes.append(say("Blocks list columns that rows do not have (virtual ones), {}.", series(shown)))
    if said.nulls:
        shown = (say("by {} {}", mono(who), NULLS[how]) for who, how in said.nulls.items())
        notes.append(say("NULL in a column with a default is written, {}.", series(shown)))
    notes += [_defaults(said.forms), _versions(said.forms)]
    return PagePart(Markdown("Columns in schema blocks"), about, (_column_table(spec, forms, lines),), tuple(notes))


def _called(one: Form) -> Markdown:
    return mono(one.type if one.semantic is None else one.semantic)


def _defaults(forms: tuple[Form, ...]) -> Markdown:
    """As what the defaults of columns are written in blocks."""
    found: dict[str, list[Markdown]] = {}
    for one in forms:
        if one.default is not None:
            found.setdefault(DEFAULTS[one.default], []).append(_called(one))
    shown = "; ".join(say("of {} {}", series(who), what) for what, who in found.items())
    return say("The default of a column is a text{}.", Markdown(f", but {shown}" if found else ""))


def _versions(forms: tuple[Form, ...]) -> Markdown:
    without = [_called(one) for one in forms if one.semantic is not None and not one.versioned]
    return say(
        "What has a name has {} as well{}.", mono("version: 1"), say(", but {}", series(without)) if without else EMPTY
    )


def _column_table(spec: Spec, forms: Mapping[str, Form], lines: list[FormOfColumns]) -> PageTable:
    rows = tuple(
        (
            together(type_names(spec, one.types, one.flagged), *_conditions(one)),
            _form(forms[str(one.form)]),
            together(sentence(spec.primitives.codecs[one.codec].about), *_when_read(one)),
        )
        for one in lines
    )
    return PageTable(("Columns", "The block says", "Values"), rows)


def _conditions(one: FormOfColumns) -> Iterator[Markdown]:
    if one.length is not None:
        yield say("of length {}", _span(one.length))
    if one.fraction is not None:
        yield say("with {} digits of a second", _span(one.fraction))
    if one.unscaled:
        yield Markdown("declared without digits behind the point")


def _span(limits: tuple[int, int]) -> Markdown:
    return say("{}", limits[0]) if limits[0] == limits[1] else say("{} to {}", *limits)


def _when_read(one: FormOfColumns) -> Iterator[Markdown]:
    if one.mode is not None:
        yield say("Without a block, {} chooses it.", mono(f"{one.mode[0]}={one.mode[1]}"))
    if one.bare:
        yield Markdown("It is tried first where there is no block.")


def _form(one: Form) -> Markdown:
    said = [mono(one.type) if one.semantic is None else say("{} named {}", mono(one.type), mono(one.semantic))]
    parameters = {"its length": one.length, "its digits": one.scale, "its labels": one.labels}
    shown = [say("{} in {}", what, mono(where)) for what, where in parameters.items() if where is not None]
    return series([*said, *shown])


def _block(structs: Mapping[Word, BlockNode], name: Word) -> PagePart:
    title = say("{} {}", HEADING, mono(name))
    rows = tuple(_rows(structs, structs[name], ""))
    table = PageTable(("Field", "Type", "Optional", "More"), rows)
    return PagePart(title, together(*_words(structs[name])), (table,) if rows else ())


def _rows(structs: Mapping[Word, BlockNode], node: BlockNode, above: str) -> Iterator[tuple[Markdown, ...]]:
    """A row for each field, those of structs and of items in arrays behind their own."""
    fields = node.said.get("fields")
    if isinstance(fields, Word):
        where = say("in {}: ", mono(above.rstrip("."))) if above else EMPTY
        yield say("{}the columns of the {}", where, COLUMNS[str(fields)]), Markdown("as above"), EMPTY, EMPTY
    for one in fields if isinstance(fields, tuple) else ():
        held = structs[one] if isinstance(one, Word) else one
        path = f"{above}{held.said.get('field', one)}"
        if isinstance(one, Word):
            yield mono(path), link(one, HEADING), _optional(held), EMPTY
            continue
        yield mono(path), _kind(held), _optional(held), together(*_words(held))
        yield from _rows(structs, held, f"{path}.")
        inner = held.said.get("items")
        if isinstance(inner, BlockNode):
            yield from _rows(structs, inner, f"{path}[].")


def _kind(node: BlockNode) -> Markdown:
    inner = node.said.get("items")
    if isinstance(inner, BlockNode):
        return say("{} of {}", mono(node.said["type"]), mono(inner.said["type"]))
    return mono(node.said["type"])


def _optional(node: BlockNode) -> Markdown:
    return Markdown({True: "yes", False: "no", None: ""}[node.said.get("optional")])  # type: ignore[index]


def _words(node: BlockNode) -> Iterator[Markdown]:
    """What else a struct or a field says, and when it is there."""
    if (name := node.said.get("name")) is not None:
        yield say("Named {}.", mono(name))
    if (version := node.said.get("version")) is not None:
        yield say("Version {}.", version)
    if isinstance(parameters := node.said.get("parameters"), Mapping):
        yield say(
            "Parameters: {}.", series(say("{} is {}", mono(key), mono(value)) for key, value in parameters.items())
        )
    if "default" in node.said:
        yield say("Default {}.", mono(node.said["default"]))
    if node.of:
        yield say("Of {} events only.", names(node.of))
    if node.producers:
        yield say("Only {} writes it.", names(node.producers))
    if node.when is not None:
        yield say("Written with {} only.", mono(node.when))
