"""Whether what is published is what the database was."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from demo.shop import SCHEMA, Shop

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def differences(published: Mapping[str, DataFrame], shop: Shop, resolved: int) -> list[str]:
    """In what the tables of a published version differ from the database at its resolved ts.

    Args:
        published: the tables by name, as `snapshot` gives them.
        shop: the database.
        resolved: the resolved ts.
    """
    found = []
    for name, table in shop.at(resolved).tables.items():
        true = {tuple(_text(row[one.name]) for one in table.columns) for row in table.rows.values()}
        if f"{SCHEMA}.{name}" not in published:
            found += [f"{name} is not published"] if true else []
            continue
        rows = published[f"{SCHEMA}.{name}"].select(*[one.name for one in table.columns]).collect()
        there = {tuple(map(_text, row)) for row in rows}
        if len(there) != len(rows):
            found.append(f"{name} has {len(rows) - len(there)} rows twice")
        found += [f"{name} lacks {row}" for row in sorted(true - there)]
        found += [f"{name} has {row}, which is wrong" for row in sorted(there - true)]
    return found


def _text(value: object) -> str:
    return "NULL" if value is None else str(value)
