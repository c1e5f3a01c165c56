"""The folders of plug-ins: those here with a `plugin.py`. There is no list of them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

HERE = Path(__file__).resolve().parent


ENCODER, DISSECTOR = "encoder", "dissector"
"""The templates that a plug-in may lack: its messages are then only read, or not shown field by field."""


@cache
def folders() -> tuple[Path, ...]:
    """The folders, sorted by name."""
    return tuple(sorted(path.parent for path in HERE.glob("*/plugin.py")))


def has_template(plugin: str, name: str) -> bool:
    """Whether the folder of a plug-in has the template of a module."""
    return (HERE / plugin / "templates" / f"{name}.py.j2").is_file()
