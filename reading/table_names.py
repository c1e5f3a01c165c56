"""Names of tables as texts. Nothing is imported here: what plans live tables asks for no more."""

from __future__ import annotations


def split(table: str) -> list[str]:
    """What stands between the dots; names in backquotes without them. Nothing when the quotes do not match."""
    parts: list[str] = []
    at = 0
    while at < len(table):
        if table[at] == "`":
            stop = at + 1
            while stop < len(table) and not (table[stop] == "`" and table[stop + 1 : stop + 2] != "`"):
                stop += 2 if table[stop] == "`" else 1
            parts.append(table[at + 1 : stop].replace("``", "`"))
            stop += 1
        else:
            stop = table.find(".", at) if "." in table[at:] else len(table)
            parts.append(table[at:stop])
        if stop < len(table) and (table[stop] != "." or stop == len(table) - 1):
            return []
        at = stop + 1
    return parts


def quoted(name: str) -> str:
    """A name in backquotes."""
    return "`" + name.replace("`", "``") + "`"
