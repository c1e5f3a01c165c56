"""A field has a name. The first field of a struct is never omitted, and no struct contains itself."""

from __future__ import annotations

from collections.abc import Iterator

from ...problems import Problem, problem
from ...words import Word
from ..connect_blocks import BlockNode
from ..connect_chapter import ConnectChapter
from .context import JsonContext


def check(context: JsonContext) -> list[Problem]:
    """Words that do not fit together."""
    said = context.protocol.connect
    if said is None:
        return []
    found = [*_circles(said)]
    for struct in said.structs.values():
        found += _first_fields(said, struct)
    return found


def _first_fields(said: ConnectChapter, node: BlockNode) -> Iterator[Problem]:
    """First fields that may be omitted: the text after them would begin with a comma."""
    for at, inner in enumerate(node.inner):
        field = said.structs[inner] if isinstance(inner, Word) else inner
        if "fields" in node.said and "field" not in field.said:
            text = "a field of a struct has a name"
            yield problem(inner.location, text, "Say field: in it.")
        if at == 0 and (field.optional or field.of):
            text = "the first field of a struct is not always there"
            yield problem(node.at("fields"), text, "Put one before it that is.")
        if isinstance(inner, BlockNode):
            yield from _first_fields(said, inner)


def _circles(said: ConnectChapter) -> Iterator[Problem]:
    """Structs that contain themselves."""
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
