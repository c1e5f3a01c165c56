"""The errors of Tidewire. They have one base class, and their texts are sentences for users."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tidewire.runtime.shortened import MOST_SAID, sentence, shortened, shown


class TidewireError(Exception):
    """Base class of all errors about data, events, options or arguments. The text is one readable line, whatever names
    and values it contains (`shortened.py`).
    """

    def __init__(self, *said: object) -> None:
        super().__init__(*[sentence(one, 2 * MOST_SAID) if isinstance(one, str) else one for one in said])


class ArgumentError(TidewireError, TypeError, ValueError):
    """A function got an invalid argument; the text describes valid ones."""


class OptionError(TidewireError, ValueError):
    """An option that is unknown or has a value that it cannot have; the text names the legal ones."""


class ColumnFull(OverflowError):
    """The bytes exceed a column of a batch: Arrow's offsets have 32 bits."""


class DecodeError(TidewireError, ValueError):
    """A message cannot be decoded.

    Attributes:
        protocol: name of the protocol.
        field: path of the field in the message, such as ``bodies/3/groups/0/columns/value``.
        offset: byte offset in the message at which the error was noticed, from 0.
        code: the kind of error, one of `REASONS`.
        needed: bytes (or the number) required, None if not applicable.
        available: bytes (or the largest number) available, None if not applicable.
        message: index of the message in the batch, None for a single message.
        detail: a sentence about the error.
        looks_like: the protocol that the messages look like, if none of a batch could be decoded; otherwise None.
        part: `key` or `value`, the part that `field` and `offset` refer to if the protocol uses both; otherwise empty.
        rest: the rest of the message, if known: `EventColumns` of this and similar messages, with null in place of
            their wrong values, and its index among them. Lost by pickling.
    """

    __slots__ = ("rest",)  # not among `vars`: an error is its text and its places
    rest: tuple[Any, int] | None

    def __init__(
        self,
        protocol: str,
        field: str,
        offset: int,
        code: str,
        detail: str,
        needed: int | None = None,
        available: int | None = None,
        message: int | None = None,
        looks_like: str | None = None,
        part: str = "",
    ) -> None:
        field = shortened(field)
        detail = sentence(detail)
        hint = "" if looks_like is None else f"; it looks like {looks_like}"
        subject = " ".join(word for word in (protocol, part, field) if word)
        super().__init__(f"{subject}: {detail} (offset {offset}){hint}")
        self.protocol = protocol
        self.field = field
        self.offset = offset
        self.code = code
        self.detail = detail
        self.needed = needed
        self.available = available
        self.message = message
        self.looks_like = looks_like
        self.part = part
        self.rest = None

    def with_detail(self, detail: str, looks_like: str | None = None) -> DecodeError:
        """A copy of the error with another sentence, or with a protocol that the message looks like."""
        said = (self.code, detail, self.needed, self.available, self.message, looks_like, self.part)
        found = DecodeError(self.protocol, self.field, self.offset, *said)
        found.rest = self.rest
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (
            self.protocol,
            self.field,
            self.offset,
            self.code,
            self.detail,
            self.needed,
            self.available,
            self.message,
            self.looks_like,
            self.part,
        )


class EncodeError(TidewireError, ValueError):
    """The protocol cannot carry an event.

    Attributes:
        protocol: name of the protocol.
        event: index of the event in the arguments, None if the error is not about one event.
        column: name of the column, None if the error is not about one column.
        reason: a sentence about the error and its remedy.
    """

    def __init__(self, protocol: str, event: int | None, column: str | None, reason: str) -> None:
        subject = protocol if event is None else f"{protocol} event {event}"
        reason = sentence(reason)
        super().__init__(f"{subject}: {reason}" if column is None else f"{subject}, column {shown(column)}: {reason}")
        self.protocol = protocol
        self.event = event
        self.column = column
        self.reason = reason

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.protocol, self.event, self.column, self.reason)


class DescriptionError(TidewireError, ValueError):
    """A table description is invalid, or a text from which one is to be parsed.

    Attributes:
        table: the table's name, as far as known; otherwise empty.
        path: place in the description, such as ``columns/3/length``; empty if the whole is concerned.
        detail: what is wrong, what was expected, and what to do.
    """

    def __init__(self, table: str, path: str, detail: str) -> None:
        path = shortened(path)
        detail = sentence(detail)
        place = " ".join(word for word in ("table", shortened(table), path) if word)
        super().__init__(f"{place}: {detail}")
        self.table = table
        self.path = path
        self.detail = detail

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.table, self.path, self.detail)


class ContradictionError(DescriptionError):
    """Two descriptions of one version of a table differ; the first is kept.

    Attributes:
        path: the first place where they differ.
        known: the first description's value there.
        given: the other one's value.
    """

    def __init__(self, table: str, version: int | None, path: str, known: object, given: object) -> None:
        which = "the table without a version" if version is None else f"version {version}"
        detail = (
            f"{which} is described already, and there it is {shown(known)}, here {shown(given)}. "
            "The first description is kept; a table that changed has another version"
        )
        super().__init__(table, path, detail)
        self.version = version
        self.known = known
        self.given = given

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.table, self.version, self.path, self.known, self.given)


class SqlError(DescriptionError):
    """SQL text from which a table description cannot be parsed.

    Attributes:
        line: line of the text, from 1.
        text: the SQL at that place, shortened.
    """

    def __init__(self, line: int, text: str, detail: str) -> None:
        text, detail = shortened(text), sentence(detail)
        super().__init__("", f"line {line}", f"{detail}: {text!r}")
        self.args = (f"SQL, line {line}: {self.detail}",)
        self.line = line
        self.text = text
        self.reason = detail

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.line, self.text, self.reason)


class MissingTableError(DecodeError, LookupError):
    """A row refers to a version of its table without a known description. The message can be kept, and decoded again
    once the table is described. `protocol` and `field` are empty if a description was looked up without a message.

    Attributes:
        schema: schema of the table; None if the row has none. Like the name, it is shortened if it is longer than names
            can be.
        table: name of the table.
        version: the version that the row refers to; None if it refers to none.
        reason: where it was looked up, or why it could not be read, and what to do; may be empty.
        no_version: whether any version would have sufficed, and none is known.
        code: `undescribed_table`.
    """

    def __init__(
        self,
        schema: str | None,
        table: str | None,
        version: int | None,
        protocol: str = "",
        field: str = "",
        offset: int = 0,
        message: int | None = None,
        looks_like: str | None = None,
        part: str = "",
        reason: str = "",
        no_version: bool = False,
    ) -> None:
        schema, table = (None if one is None else shortened(one) for one in (schema, table))
        reason = sentence(reason)
        name = ".".join(f"`{one}`" for one in (schema, table) if one is not None)
        state = "has no description without a version"
        if version is not None:
            state = f"is not described in version {shown(version)} of its columns"
        if no_version:
            state = "is not described"
        remedy = "decode the message that describes it first, or add its CREATE TABLE to the TableStore with add_sql"
        if protocol:
            remedy += ", then decode this message again"
        detail = f"the table {name} {state}: {reason or remedy}"
        super().__init__(
            protocol, field, offset, "undescribed_table", detail, message=message, looks_like=looks_like, part=part
        )
        if not protocol:
            self.args = (self.detail,)
        self.schema = schema
        self.table = table
        self.version = version
        self.reason = reason
        self.no_version = no_version

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (
            self.schema,
            self.table,
            self.version,
            self.protocol,
            self.field,
            self.offset,
            self.message,
            self.looks_like,
            self.part,
            self.reason,
            self.no_version,
        )


class ChecksumError(DecodeError):
    """A row does not match its checksum, or its producer found that it does not. The row is not returned.

    Attributes:
        schema: schema of the table; None if the message does not carry it.
        table: name of the table.
        image: `new`, the row, or `old`, the row before the change.
        expected: the checksum in the message, 0 to 2^32 - 1.
        computed: the checksum of the row; None if the producer found the difference, or a value is invalid for its
            column's type.
        reason: the error, if it is not that the two differ.
        code: `row_checksum`.
    """

    def __init__(
        self,
        protocol: str,
        message: int | None,
        schema: str | None,
        table: str | None,
        image: str,
        expected: int,
        computed: int | None,
        reason: str = "",
    ) -> None:
        schema, table = (None if one is None else shortened(one) for one in (schema, table))
        reason = sentence(reason)
        name = ".".join(f"`{one}`" for one in (schema, table) if one is not None)
        what = reason or (f"it was changed on its way, or its table is described wrongly: its checksum is {computed}")
        detail = f"the {image} row of {name} came with the checksum {expected}: {what}"
        super().__init__(protocol, "row", 0, "row_checksum", detail, expected, computed, message)
        self.schema = schema
        self.table = table
        self.image = image
        self.expected = expected
        self.computed = computed
        self.reason = reason

    def __reduce__(self) -> tuple[Any, ...]:
        given = (self.protocol, self.message, self.schema, self.table, self.image)
        return type(self), (*given, self.expected, self.computed, self.reason)


REASONS = (
    ("truncated", "{needed} bytes needed, {available} left"),
    ("overflow", "a varint of more than 64 bits"),
    ("range", "{needed} is out of range, at most {available} is possible"),
    ("const", "{needed} where only {available} is possible"),
    ("enum", "{needed} is none of the values that are defined"),
    ("term", "there is no term {needed}, the dictionary has {available}"),
    ("duplicate", "given twice"),
    ("trailing", "bytes left over: {needed}"),
    ("utf8", "not valid UTF-8"),
    ("value", "{needed} bytes cannot be a value of this column's type"),
    ("unknown", "a value of {needed} bytes for a type that has no values"),
    ("mixed", "events of several types in one message"),
    ("missing", "it is missing"),
    ("count", "{needed} where {available} are expected"),
    ("batch", "a column of this batch holds 2 GiB: decode fewer messages at once"),
    ("syntax", "this is not valid here"),
    ("kind", "a value of another kind is expected"),
    ("depth", "nested deeper than {available}"),
    ("unnamed", "none of the texts that are defined"),
    ("outside", "a number of {needed} characters that is more or less than can be held here"),
    ("undescribed", "`{member}` does not describe column `{column}`"),
    ("rows", "messages of this kind have no rows, and here are some: read as it stands, the message would lose them"),
    ("contradiction", "it says something else than what was said before"),
)
"""The kinds of errors in the order of their numbers: id and sentence."""

(
    TRUNCATED,
    OVERFLOW,
    RANGE,
    CONST,
    ENUM,
    TERM,
    DUPLICATE,
    TRAILING,
    UTF8,
    VALUE,
    UNKNOWN,
    MIXED,
    MISSING,
    COUNT,
    BATCH,
    SYNTAX,
    KIND,
    DEPTH,
    UNNAMED,
    OUTSIDE,
    UNDESCRIBED,
    ROWS,
    CONTRADICTION,
) = range(len(REASONS))


_FOUND = {
    TRUNCATED: "{found} bytes needed, {available} left",
    UTF8: "`{found}` is not valid UTF-8",
    VALUE: "`{found}` cannot be a value of this type",
    UNKNOWN: "`{found}` for a type that has no values",
    TRAILING: "bytes left over: {needed}, `{found}`",
    SYNTAX: "`{found}` is not valid here",
    KIND: "`{found}` cannot be a value of this type",
    UNNAMED: "`{found}` is not defined",
    OUTSIDE: "`{found}` is more or less than can be held here",
    ENUM: "{found} is none of the values that are defined",
}
"""Sentences for errors that include the text found in the message."""

_EXPECTED = {
    CONST: "{found} where only {expected} is possible",
    ENUM: "{found} is none of {expected}",
    KIND: "`{found}` where {expected} is expected",
    UNNAMED: "`{found}` is none of {expected}",
    VALUE: "`{found}` cannot be a value of this type: {expected}",
    OUTSIDE: "`{found}` is out of range: {expected}",
    CONTRADICTION: "`{found}` contradicts {expected}",
}
"""Sentences for errors that also include what was expected."""


class WireError(Exception):
    """An error of the primitives, without field names; decoders convert it to a `DecodeError`.

    Attributes:
        code: the kind of error, a number of `REASONS`.
        field: number of the field.
        offset: byte offset in the message, from 0.
        needed: bytes, or the number, required.
        available: bytes, or the largest number, available.
        found: the text found in the message; may be empty.
        expected: the expected text; empty if the sentence contains it.
        path: path of the field, if only the message's own schema names it; empty: `field` says which one it is.
    """

    path = ""

    def __init__(
        self, code: int, field: int, offset: int, needed: int, available: int, found: str = "", expected: str = ""
    ) -> None:
        super().__init__(code, field, offset, needed, available, found, expected)
        self.code = code
        self.field = field
        self.offset = offset
        self.needed = needed
        self.available = available
        self.found = found
        self.expected = expected

    def detail(self) -> str:
        """The sentence about what is wrong."""
        sentence = REASONS[self.code][1]
        if self.found and self.code in _EXPECTED and self.expected:
            sentence = _EXPECTED[self.code]
        elif self.found:
            sentence = _FOUND.get(self.code, sentence)
        return sentence.format(needed=self.needed, available=self.available, found=self.found, expected=self.expected)

    def put_inside(self, name: str) -> None:
        """Puts the name of what is around it before the path."""
        self.path = f"{name}/{self.path}" if self.path else name

    def of_its_own(self, protocol: str, field: str, part: str) -> DecodeError | None:
        """The `DecodeError` for an error with a class of its own; None for others."""
        return None


class StatedError(WireError):
    """A `WireError` with its own sentence.

    Attributes:
        sentence: the sentence.
    """

    def __init__(self, code: int, field: int, offset: int, sentence: str) -> None:
        super().__init__(code, field, offset, 0, 0)
        self.sentence = sentence

    def detail(self) -> str:
        return self.sentence


class UndescribedRow(WireError):
    """A `WireError`: a row refers to a table description that is not known.

    Attributes:
        missing: the missing description.
    """

    def __init__(self, field: int, offset: int, missing: MissingTableError) -> None:
        super().__init__(UNDESCRIBED, field, offset, 0, 0)
        self.missing = missing

    def of_its_own(self, protocol: str, field: str, part: str) -> DecodeError:
        which = self.missing
        names = (which.schema, which.table, which.version)
        told: Any = {"reason": which.reason, "no_version": which.no_version}
        return MissingTableError(*names, protocol, field, self.offset, part=part, **told)


def decode_error(
    protocol: str, fields: tuple[str, ...], error: WireError, indexes: Mapping[str, object], part: str = ""
) -> DecodeError:
    """The `DecodeError` for a primitive's error.

    Args:
        protocol: name of the protocol.
        fields: paths of the protocol's fields, by number.
        indexes: indexes for the repeated parts of the field's path.
        part: `key` or `value`, if the protocol uses both.
    """
    code, sentence = REASONS[error.code]
    field = error.path or fields[error.field].format(**indexes)
    own = error.of_its_own(protocol, field, part)
    if own is not None:
        return own
    if error.code == UNDESCRIBED and not isinstance(error, StatedError):
        # the member of the message that should have described the column
        detail = sentence.format(member=fields[error.needed], **indexes)
        return DecodeError(protocol, field, error.offset, code, detail, part=part)
    return DecodeError(protocol, field, error.offset, code, error.detail(), error.needed, error.available, part=part)


def no_key(protocol: str, message: int) -> DecodeError:
    """The error for a message without a key, if the protocol requires keys.

    Args:
        protocol: name of the protocol.
        message: index of the message in the batch.
    """
    detail = "it is missing, and is needed to know what the events are: give it with the value"
    return DecodeError(protocol, "", 0, REASONS[MISSING][0], detail, message=message, part="key")
