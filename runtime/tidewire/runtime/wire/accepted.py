"""Members whose text must be one of a list: with another text, the message is of a kind that is not supported."""

from __future__ import annotations

from collections.abc import Sequence

from tidewire.runtime.shortened import shown


def not_accepted(found: object, accepted: Sequence[str]) -> str:
    """The error sentence for a message with another text than the accepted ones.

    Args:
        found: the text.
        accepted: the accepted texts; empty: the member must be empty.
    """
    known = ", ".join(f"`{one}`" for one in accepted)
    wrong = "is neither null nor empty"
    if accepted:
        wrong = f"is not supported: it is none of {known}, whose messages are read"
    return (
        f"{shown(found)} {wrong}: in what others write, names of tables and "
        "types of columns mean something else, so that rows of several tables could become those of one"
    )
