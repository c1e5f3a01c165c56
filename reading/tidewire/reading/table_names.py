"""Table names as texts. It imports nothing, so that planning of live tables stays fast to import."""

from __future__ import annotations


def split(table: str) -> list[str]:
    """The parts between dots, without backquotes; empty if the backquotes do not match."""
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
