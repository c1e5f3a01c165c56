"""Every message in an envelope has a struct for its schema block; without rows it has no columns and no table."""

from __future__ import annotations

from collections.abc import Iterator

from ...problems import Problem, listed, problem, quoted
from ...words import Word
from ..connect_blocks import NAMES, BlockNode
from ..connect_chapter import ConnectChapter
from .context import JsonContext


def check(context: JsonContext) -> list[Problem]:
    """Classes of events without a struct."""
    found = []
    carried = context.carried()
    for envelope in context.protocol.envelopes.values():
        missing = [cls for cls in carried if cls not in map(str, envelope.blocks)]
        if missing:
            text = f"{quoted(envelope.name)} has no block for {listed(map(quoted, missing))}"
            found.append(problem(envelope.at("blocks"), text, "Say by which struct such messages are described."))
        for cls, struct in envelope.blocks.items():
            if context.protocol.connect is None or context.spec.events.classes[cls].images:
                continue
            if any(_of_rows(context.protocol.connect, context.protocol.connect.structs[struct], str(cls))):
                text = f"the struct {quoted(struct)} says the columns or the table of a row, and {quoted(cls)} has none"
                found.append(problem(struct.location, text, "Name another struct."))
    return found


def _of_rows(said: ConnectChapter, node: BlockNode, cls: str) -> Iterator[bool]:
    """Whether a struct, or a field in it, says what only a row has."""
    if node.of and cls not in map(str, node.of):
        return
    yield isinstance(node.said.get("fields"), Word) or any(str(one) in NAMES for one in node.braces)
    for inner in node.inner:
        yield from _of_rows(said, said.structs[inner] if isinstance(inner, Word) else inner, cls)
