"""The parts of a protocol's page about Kafka Connect's schema blocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..model import Spec
from ..pages.markdown import EMPTY, Markdown, mono, names, say, sentence, series, together
from ..pages.parts import PagePart, PageTable
from ..schema_types.page import schema_type_parts
from .connect_blocks import COLUMNS, KEY_COLUMNS, BlockNode, key_blocks, value_blocks
from .connect_chapter import ConnectChapter
from .model import JsonProtocol

HEADING = "Block"
"""Precedes a block's name in its heading, as a part may have the same name."""
WHOSE: Mapping[str, str] = {COLUMNS: "table", KEY_COLUMNS: "key"}
"""Whose columns a struct has, by what stands for its fields."""
UNSENT: Mapping[str, str] = {"last": "after all others", "twice": "in their place and again after all others"}
"""Where a block lists columns that rows do not have, in words."""
NULLS: Mapping[str, str] = {
    "defaults": "as the default",
    "parsed": (
        "as the parsed default: 0 for a TIME, for numbers of 2^63 and above and for numbers whose default is an "
        "expression; a YEAR as it is declared"
    ),
}
"""How NULL in a column with a default is written, in words."""


def connect_parts(spec: Spec, protocol: JsonProtocol, said: ConnectChapter) -> list[PagePart]:
    """How columns are written, what producers do differently, and the blocks."""
    notes = []
    if said.unsent:
        shown = (say("{} {}", mono(who), UNSENT[where]) for who, where in said.unsent.items())
        notes.append(say("Blocks list columns that rows do not have, virtual generated ones: {}.", series(shown)))
    if said.nulls:
        shown = (say("by {} {}", mono(who), NULLS[how]) for who, how in said.nulls.items())
        notes.append(say("NULL in a column with a default is written {}.", series(shown)))
    types = protocol.schema_types
    assert types is not None, "blocks have schema types"
    found = schema_type_parts(spec, types, types.lines("json", protocol.options), False, notes)
    found.append(PagePart(Markdown("Schema blocks"), sentence(said.about)))
    for of, blocks in (("key", key_blocks(protocol)), (str(protocol.root), value_blocks(protocol))):
        found += [_block(f"{of}.{cls}", node) for cls, node in blocks.items()]
    return found


def _block(name: str, node: BlockNode) -> PagePart:
    rows = tuple(_rows(node, ""))
    table = PageTable(("Field", "Type", "Optional", "More"), rows)
    return PagePart(say("{} {}", HEADING, mono(name)), together(*_words(node)), (table,) if rows else ())


def _rows(node: BlockNode, above: str) -> Iterator[tuple[Markdown, ...]]:
    """A row for each field, followed by the rows of the fields nested in it."""
    fields = node.said.get("fields")
    if isinstance(fields, str):
        where = say("in {}: ", mono(above.rstrip("."))) if above else EMPTY
        yield say("{}the columns of the {}", where, WHOSE[fields]), Markdown("as above"), EMPTY, EMPTY
    for one in node.fields:
        path = f"{above}{one.said['field']}"
        yield mono(path), _kind(one), _optional(one), together(*_words(one))
        yield from _rows(one, f"{path}.")
        inner = one.said.get("items")
        if isinstance(inner, BlockNode):
            yield from _rows(inner, f"{path}[].")


def _kind(node: BlockNode) -> Markdown:
    inner = node.said.get("items")
    if isinstance(inner, BlockNode):
        return say("{} of {}", mono(node.said["type"]), mono(inner.said["type"]))
    return mono(node.said["type"])


def _optional(node: BlockNode) -> Markdown:
    return Markdown({True: "yes", False: "no", None: ""}[node.said.get("optional")])  # type: ignore[index]


def _words(node: BlockNode) -> Iterator[Markdown]:
    """Further facts about a struct or a field, and when it is present."""
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
    if node.words.producers:
        yield say("Only {} writes it.", names(node.words.producers))
    if node.when is not None:
        yield say("Written with {} only.", mono(node.when))
