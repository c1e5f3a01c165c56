"""What passes ask of every line that says how the values of columns are written."""

from __future__ import annotations

from collections.abc import Iterator

from ...passes.common import CommonContext, named, named_codec
from ...problems import Problem, listed, problem, quoted
from ..column_lines import LineOfColumns


def links_of_line(context: CommonContext, one: LineOfColumns) -> Iterator[Problem]:
    """Names that refer to nothing, and codecs of another wire."""
    types = context.spec.mysql_types
    yield from named_codec(context.spec, one.codec, context.wire)
    for flag in (one.flagged, one.unflagged):
        yield from named(flag, "flag", types.flags)
    for name in one.types:
        yield from named(name, "column type", types.types, "column types")


def fitting_codec(context: CommonContext, one: LineOfColumns) -> Iterator[Problem]:
    """A codec that does not fit how the values of the columns are stored."""
    codec = context.spec.primitives.codecs[one.codec]
    for name in one.types:
        storage = one.storage(context.spec.mysql_types.types[name])
        if str(storage) not in map(str, codec.storage):
            text = f"{quoted(one.codec)} is not for values of {quoted(name)}, which are stored as {storage}"
            yield problem(one.at("codec"), text, f"It is for {listed(map(str, codec.storage))}.")
