"""Names of column types on pages, as in SQL."""

from __future__ import annotations

from collections.abc import Iterable

from ..model import Spec
from .markdown import Markdown, series, text


def type_names(spec: Spec, types: Iterable[str], flag: str | None = None) -> Markdown:
    """Column types for a sentence, as in SQL: `BIGINT, INT UNSIGNED and VARBINARY`.

    Args:
        types: names of types in the spec.
        flag: the flag of columns with these types.
    """
    return series(dict.fromkeys(_declared(spec, name, flag) for name in types))


def _declared(spec: Spec, name: str, flag: str | None) -> Markdown:
    kind = spec.mysql_types.types[name]
    plain = kind.sql[0].upper()
    if flag is None:
        return text(plain)
    variant = kind.flagged.get(flag)
    if variant is not None and variant.sql:
        return text(variant.sql[0].upper())
    words = spec.mysql_types.flags[flag].sql
    return text(f"{plain} {words[0].upper()}" if words else f"{plain} ({flag})")
