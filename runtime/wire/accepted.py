"""Texts that say nothing of an event, and by which a message is one of others that are not read."""

from __future__ import annotations

from collections.abc import Sequence

from tidewire.runtime.shortened import shown


def not_accepted(found: object, accepted: Sequence[str]) -> str:
    """The sentence of a message with another text than those.

    Args:
        found: what it has.
        accepted: what it can have; nothing: those whose messages are read have nothing there.
    """
    known = ", ".join(f"`{one}`" for one in accepted)
    wrong = "is neither null nor empty"
    if accepted:
        wrong = f"is not supported: it is none of {known}, whose messages are read"
    return (
        f"{shown(found)} {wrong}: in what others write, names of tables and "
        "types of columns mean something else, so that rows of several tables could become those of one"
    )
