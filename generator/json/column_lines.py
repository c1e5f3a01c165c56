"""Lines of a spec that say how the values of columns of some types are written, wherever a schema calls the columns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ..extract import flag, located, need, word, word_list
from ..load import YamlNode
from ..model import ColumnType, Spec
from ..plan.names import flag_constants
from ..plan.values import runtime_name
from ..syntax.nodes import Expression, Literal, named
from ..words import Located, Word


@dataclass(frozen=True, kw_only=True, eq=False)
class LineOfColumns(Located):
    """How the values of columns of some types are written."""

    types: tuple[Word, ...]
    codec: Word
    flagged: Word | None
    """The flag that the columns have."""
    unflagged: Word | None
    """The flag that they do not have."""
    reads: bool
    """Whether a reader takes it, and no writer."""

    def storage(self, kind: ColumnType) -> str:
        """How values of the type are stored, of columns that have no other flag than the line says."""
        return kind.storage if self.flagged is None else kind.storage_with(self.flagged)


def line_of_columns(node: YamlNode) -> dict[str, Any]:
    """The fields of `LineOfColumns`."""
    return {
        **located(node),
        "types": word_list(node, "types"),
        "codec": need(node, "codec"),
        "flagged": word(node, "flagged"),
        "unflagged": word(node, "unflagged"),
        "reads": flag(node, "reads"),
    }


def codes_by_codec(spec: Spec, one: LineOfColumns) -> dict[str, list[int]]:
    """The codes of the types, by what the runtime calls the codec of their values: one for each way of storing them."""
    found: dict[str, list[int]] = {}
    for name in one.types:
        kind = spec.mysql_types.types[name]
        found.setdefault(runtime_name(spec, one.codec, one.storage(kind)), []).append(kind.code)
    return found


def flags_of_line(spec: Spec, one: LineOfColumns) -> tuple[Expression, Expression]:
    """The flag that the columns have and the one that they do not have, as constants; 0: none."""
    flags = flag_constants(spec)
    said = (Literal(0) if flag is None else named(flags[flag]) for flag in (one.flagged, one.unflagged))
    flagged, unflagged = said
    return flagged, unflagged


def modules_of_lines(spec: Spec, lines: Iterable[LineOfColumns]) -> tuple[str, ...]:
    """The modules of the runtime that have the codecs of lines, below the folder of the wire."""
    return tuple(sorted({codec.partition(".")[0] for one in lines for codec in codes_by_codec(spec, one)}))
