"""The table of what each protocol carries, in docs/protocols/README.md, says what the modules say."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

PAGE = (Path(__file__).resolve().parent.parent / "docs" / "protocols" / "README.md").read_text(encoding="utf-8")


def table() -> dict[str, list[str]]:
    """The cells of the table by the text in front of them."""
    rows = PAGE.split("## What each protocol carries")[1].splitlines()
    cells = [[cell.strip() for cell in row.split("|")[1:-1]] for row in rows if row.startswith("|")]
    return {first.strip("`"): others for first, *others in cells}


def test_the_table_of_what_is_carried_is_true() -> None:
    found = table()
    names = dict(re.findall(r"^\| \[(.+?)\]\(\S+\) \| `(\S+?)` \|", PAGE, re.MULTILINE))
    fields = [name for name in found if re.fullmatch(r"[a-z_]+", name)]
    assert sorted(found[""]) == sorted(names)
    for at, title in enumerate(found[""]):
        module = import_module(f"tidewire.{names[title].replace('-', '_')}")
        assert {name for name in fields if found[name][at] == "yes"} == set(module.CARRIES) - {"kind"}
