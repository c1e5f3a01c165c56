"""The plan of a value table: which codec writes the values of a type code in JSON."""

from __future__ import annotations

from collections.abc import Iterable

from ..model import Spec, ValueTable
from ..plan.names import flag_constants
from ..plan.values import PlannedCase, PlannedValues

BASE64_TEXT = "base64_text"
"""The codec of text that is written as the base64 of its bytes."""
UNTOLD = "untold_text"
"""The codec of a type that is not told."""


def untold_codes(spec: Spec, table: ValueTable) -> tuple[int, ...]:
    """The codes of the types whose values are read as they stand, and never written."""
    types = spec.mysql_types.types
    return tuple(sorted(types[name].code for case in table.cases if case.codec == UNTOLD for name in case.types))


def planned_values(spec: Spec, table: ValueTable) -> PlannedValues:
    """A value table with type codes instead of names; text becomes the codec that the text policy asks for."""
    types, flags = spec.mysql_types.types, flag_constants(spec)
    cases = []
    for case in table.cases:
        changed = tuple((flags[flag], codec_name(codec)) for flag, codec in case.flagged.items())
        codes = tuple(sorted(types[name].code for name in case.types))
        names = ", ".join(str(name) for name in case.types)
        unflagged = None if case.unflagged is None else codec_name(case.unflagged)
        cases.append(PlannedCase(codes, changed, codec_name(case.codec), names, unflagged))
    return PlannedValues(str(table.name), table.about, tuple(cases), table.unknown)


def codec_constants(tables: Iterable[PlannedValues]) -> tuple[str, ...]:
    """The constants of the codecs that tables name, and of those for text."""
    found = {codec.partition("[")[0] for table in tables for case in table.cases for codec in case.codecs}
    return tuple(sorted(found - {"text_codec", "NOTHING"} | {"CHECKED_TEXT", "UNCHECKED_TEXT"}))


def codec_name(codec: str) -> str:
    """The constant of runtime/json/codecs.py; where the policy for invalid text decides, what it says."""
    if codec == BASE64_TEXT:
        return f"{str(codec).upper()}[text_codec]"
    return "text_codec" if codec in ("text", UNTOLD) else str(codec).upper()
