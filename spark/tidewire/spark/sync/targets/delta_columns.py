"""Columns in the log of a Delta table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tidewire.spark.sync.targets.shapes import Shape, decimal

NAMES_IN_LOG = {"tinyint": "byte", "smallint": "short", "int": "integer", "bigint": "long"}
"""Types that the log names otherwise than Spark's SQL."""
_WIDER = {
    ("tinyint", "smallint"),
    ("tinyint", "int"),
    ("tinyint", "bigint"),
    ("tinyint", "double"),
    ("smallint", "int"),
    ("smallint", "bigint"),
    ("smallint", "double"),
    ("int", "bigint"),
    ("int", "double"),
    ("float", "double"),
    ("date", "timestamp_ntz"),
}
_DIGITS = {"tinyint": 10, "smallint": 10, "int": 10, "bigint": 20}
"""Digits before the point that a decimal needs for each integer type."""


def fields(shape: Shape, before: Mapping[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """The fields of a schema in the log, with the identifiers of their columns in files."""
    made = []
    for one in shape.columns:
        type = NAMES_IN_LOG.get(one.type, one.type)
        if one.before is None:
            made.append({"name": one.name, "type": type, "nullable": True, "metadata": {}})
            continue
        field = before[one.before]
        metadata = dict(field["metadata"])
        if field["type"] != type:
            told = {"fromType": field["type"], "toType": type}
            metadata["delta.typeChanges"] = [*metadata.get("delta.typeChanges", []), told]
        made.append({**field, "name": one.name, "type": type, "metadata": metadata})
    return made


def widens(old: str, new: str) -> bool:
    """Whether Delta can widen a column's type in place."""
    if (old, new) in _WIDER:
        return True
    after = decimal(new)
    if after is None:
        return False
    if old in _DIGITS:
        return after[0] - after[1] >= _DIGITS[old]
    before = decimal(old)
    if before is None:
        return False
    return after[1] >= before[1] and after[0] - before[0] >= after[1] - before[1]
