"""Lists of labels of ENUM and SET columns, in schemas."""

from __future__ import annotations

from collections.abc import Sequence

from tidewire.runtime.shortened import shown


def split_labels(listed: object, escapes: bool) -> tuple[str, ...]:
    """The labels of a list.

    Args:
        listed: labels with commas between.
        escapes: whether a comma in a label has a backslash before it, which is not the second of two; else labels have
            no commas, as those of a SET.

    Raises:
        ValueError: it is no text.
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
    """Why the labels of an ENUM are not those that a reader makes of their list; None: it finds the number of each.

    Args:
        labels: of the column.
        listed: the same as they are listed, with backslashes before commas.
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
    """What is not known of the labels of a list, in which a label may end in a backslash: TiCDC writes it as it is, and
    the list is that of other labels, too; None: all is known.
    """
    if not escapes or not isinstance(listed, str) or "\\," not in listed:
        return None
    return (
        f"a backslash before a comma in its labels {shown(listed)} may belong to the comma or end a label; a "
        "description of the table decides (tables=, in Spark schemaLocation)"
    )
