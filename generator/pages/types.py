"""Names of column types on pages, as people declare them."""

from __future__ import annotations

from collections.abc import Iterable

from ..model import Spec
from .markdown import Markdown, series, text


def type_names(spec: Spec, types: Iterable[str], flag: str | None = None) -> Markdown:
    """Column types in a sentence, as they are declared: `BIGINT, INT UNSIGNED and VARBINARY`.

    Args:
        spec: of all protocols.
        types: by their names in the spec.
        flag: the one that columns of these types have.
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
