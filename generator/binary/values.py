"""The plan of a value table: what the values of a type code are written as."""

from __future__ import annotations

from ..model import Spec, ValueTable
from ..plan.names import flag_constants
from ..plan.values import PlannedCase, PlannedValues

STORAGES = {"varint": "INT", "uvarint": "UINT", "float64": "FLOAT", "bytes": "BYTES", "nothing": "NOTHING"}
"""What a column holds whose values a codec writes."""


def planned_values(spec: Spec, table: ValueTable) -> PlannedValues:
    """A value table with type codes instead of names; text becomes the storage that the text policy asks for."""
    types = spec.mysql_types.types
    flags = flag_constants(spec)
    grouped: dict[tuple[tuple[tuple[str, str], ...], str], list[str]] = {}
    for case in table.cases:
        flagged = {str(flag): str(codec) for flag, codec in case.flagged.items()}
        for name in case.types:
            kind = types[name]
            plain = _storage(case.codec, kind.storage)
            changed = []
            for flag in dict.fromkeys([*kind.flagged, *flagged]):
                written = _storage(flagged.get(flag, case.codec), kind.storage_with(flag))
                if written != plain:
                    changed.append((flags[flag], written))
            grouped.setdefault((tuple(changed), plain), []).append(str(name))
    cases = tuple(
        PlannedCase(tuple(sorted(types[name].code for name in names)), changed, codec, ", ".join(names))
        for (changed, codec), names in grouped.items()
    )
    return PlannedValues(table.name, table.about, cases, table.unknown)


def _storage(codec: str, kept: str) -> str:
    """The constant of runtime/arrow/storage.py, or text_storage where the policy for invalid text decides."""
    return "text_storage" if codec == "bytes" and kept == "text" else STORAGES[codec]
