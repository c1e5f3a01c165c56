"""The plan of a value table: which codec writes the values of a type code."""

from __future__ import annotations

from ..model import Spec, ValueTable
from ..plan.values import PlannedValues


def planned_values(spec: Spec, table: ValueTable) -> PlannedValues:
    """A value table with type codes instead of names; storage text becomes the codec that the text policy asks for."""
    types = spec.mysql_types.types
    flags = spec.mysql_types.flags
    grouped: dict[tuple[tuple[tuple[int, str], ...], str], list[str]] = {}
    for case in table.cases:
        flagged = {str(flag): str(codec) for flag, codec in case.flagged.items()}
        for name in case.types:
            kind = types[name]
            plain = _codec(case.codec, kind.storage)
            changed = []
            for flag in dict.fromkeys([*kind.flagged, *flagged]):
                written = _codec(flagged.get(flag, case.codec), kind.storage_with(flag))
                if written != plain:
                    changed.append((flags[flag].bit, written))
            grouped.setdefault((tuple(changed), plain), []).append(str(name))
    cases = tuple(
        (tuple(sorted(types[name].code for name in names)), changed, codec, ", ".join(names))
        for (changed, codec), names in grouped.items()
    )
    return PlannedValues(table.name, table.about, cases, table.unknown)


def _codec(codec: str, storage: str) -> str:
    """The constant of runtime/codecs.py, or text_codec where the policy for invalid text decides."""
    if codec == "bytes":
        return "text_codec" if storage == "text" else "BYTES"
    return codec.upper()
