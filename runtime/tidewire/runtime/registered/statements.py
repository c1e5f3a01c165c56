"""Reads and writes statements as JSON objects. They are rare, so this module is not optimized."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from tidewire.runtime.connect.resolving import is_text
from tidewire.runtime.errors import KIND, MISSING, SYNTAX, StatedError
from tidewire.runtime.json.json_literals import text_json
from tidewire.runtime.json.sink import Spelling
from tidewire.runtime.shortened import shown

KINDS = {"text": "a text", "integer": "a whole number", "unsigned": "a whole number from 0 to 2^64 - 1"}
RANGES = {"integer": (-(2**63), 2**63 - 1), "unsigned": (0, 2**64 - 1)}


class StatementMember(NamedTuple):
    """A member of a statement."""

    name: str
    type: str
    """text, integer or unsigned."""
    absent: str | None
    """The JSON of an absent value; None: the member is required."""


class StatementError(Exception):
    """Why a statement cannot be read.

    Attributes:
        code: error code (tidewire.runtime.errors).
        path: path of the member, with a leading slash; empty: the whole object.
        detail: a sentence.
        offset: offset in the object, in bytes.
    """

    def __init__(self, code: int, path: str, detail: str, offset: int = 0) -> None:
        super().__init__(detail)
        self.code = code
        self.path = path
        self.detail = detail
        self.offset = offset

    def stated(self, field: int, start: int) -> StatedError:
        """This error as an error of the message that contains the object.

        Args:
            field: field of the statement.
            start: offset of its object in the message.
        """
        return StatedError(self.code, field, start + self.offset, self.detail)


def read_statement(text: bytes, members: Sequence[StatementMember]) -> list[Any]:
    """The values of the members, in order; None: absent. Other members are ignored.

    Raises:
        StatementError: the text is not such an object.
    """
    try:
        found = json.loads(text.decode())
    except UnicodeDecodeError as error:
        raise StatementError(SYNTAX, _path_of_bytes(text), "it is not valid UTF-8", error.start) from None
    except json.JSONDecodeError as error:
        # the error's position counts characters
        behind = len(error.doc[: error.pos].encode())
        raise StatementError(SYNTAX, "", f"it is no JSON: {error.msg}", behind) from None
    except (ValueError, RecursionError):
        reason = "it is no JSON that can be read: nested too deep, or a number is too long"
        raise StatementError(SYNTAX, "", reason) from None
    if not isinstance(found, dict):
        raise StatementError(SYNTAX, "", f"an object is expected, not {shown(found)}")
    return [_value(found.get(one.name), one) for one in members]


def _path_of_bytes(text: bytes) -> str:
    """Path of the first member whose text is not UTF-8; empty if that is not in a member's text."""
    try:
        found = json.loads(text.decode("utf-8", "surrogateescape"))
    except (ValueError, RecursionError):
        return ""
    texts = found.items() if isinstance(found, dict) else ()
    wrong = (name for name, value in texts if isinstance(value, str) and not is_text(value))
    return next((f"/{name}" for name in wrong if is_text(name)), "")


def _value(value: Any, member: StatementMember) -> Any:
    path = f"/{member.name}"
    if value is None or (member.absent is not None and value == json.loads(member.absent)):
        if member.absent is None:
            raise StatementError(MISSING, path, f"`{member.name}` is missing")
        return None
    if member.type == "text":
        right = isinstance(value, str)
    else:
        low, high = RANGES[member.type]
        right = type(value) is int and low <= value <= high
    if not right:
        raise StatementError(KIND, path, f"`{member.name}` is {shown(value)}, and {KINDS[member.type]} is expected")
    if isinstance(value, str) and not is_text(value):
        raise StatementError(KIND, path, f"`{member.name}` has half a surrogate pair, which no text has")
    return value


def write_statement(
    protocol: str, members: Sequence[StatementMember], values: Sequence[str | int | None], spelling: Spelling
) -> bytes:
    """The JSON object of a statement.

    Args:
        protocol: name of the protocol, for errors.
        values: their values; None: absent.
        spelling: how texts are escaped.

    Raises:
        EncodeError: a text cannot be encoded as UTF-8.
    """
    said = []
    for member, value in zip(members, values, strict=True):
        if isinstance(value, str):
            text = text_json(protocol, value, spelling)
        else:
            text = str(member.absent).encode() if value is None else b"%d" % value
        said.append(b'"%b":%b' % (member.name.encode(), text))
    return b"{%b}" % b",".join(said)
