"""Lists of labels of ENUM and SET columns, in schemas."""

from __future__ import annotations

from collections.abc import Sequence

from tidewire.runtime.shortened import shown


def split_labels(listed: object, escapes: bool) -> tuple[str, ...]:
    """Splits a list of labels.

    Args:
        listed: labels separated by commas.
        escapes: whether commas in labels are escaped by a backslash (which may itself be escaped); otherwise labels
            contain no commas, as in a SET.

    Raises:
        ValueError: it is not a text.
    """
    if not isinstance(listed, str) or any("\ud800" <= character <= "\udfff" for character in listed):
        raise ValueError(f"its labels are {shown(listed)}, and no text")
    if not escapes or "\\," not in listed:
        return tuple(listed.split(","))
    found = [""]
    escaped = False
    for character in listed:
        if character == "," and escaped:
            found[-1] = found[-1][:-1] + ","
        elif character == ",":
            found.append("")
        else:
            found[-1] += character
        escaped = character == "\\" and not escaped
    return tuple(found)


def read_otherwise(labels: Sequence[str], listed: str) -> str | None:
    """Why readers of an ENUM's label list get other labels; None if they get the right number for each label.

    Args:
        listed: the list of labels, with commas escaped by backslashes.
    """
    if "\\" not in listed:
        return None
    found = split_labels(listed, True)
    if len(found) == len(labels) and all(
        one == other.replace("\\'", "'").replace("''", "'") for one, other in zip(found, labels, strict=True)
    ):
        return None
    wrong = next((label for label in labels if "\\," in f"{label},"), labels[0])
    return (
        f"its label {shown(wrong)} has a backslash in front of a comma, and the list of labels, {shown(listed)}, is "
        "then one of other labels, with other numbers: write another protocol, or messages without labels"
    )


def doubted(listed: object, escapes: bool) -> str | None:
    """Why a list of labels is ambiguous; None if it is not. TiCDC does not escape a backslash at the end of a label, so
    that it looks like an escape of the comma that follows.
    """
    if not escapes or not isinstance(listed, str) or "\\," not in listed:
        return None
    return (
        f"a backslash before a comma in its labels {shown(listed)} may belong to the comma or end a label; a "
        "description of the table decides (tables=, in Spark schemaLocation)"
    )
