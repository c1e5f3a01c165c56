"""The fields of messages whose key and value are frames of JSON: each is shown with the part that it is of."""

from __future__ import annotations

from tidewire.runtime.dissecting.frames import trace_frames
from tidewire.runtime.dissecting.shapes import Shape
from tidewire.runtime.dissecting.spans import Span, named, tso
from tidewire.runtime.errors import DecodeError, no_key

HEADS = {"version": Shape("u64be", "The version.")}
KEY = Shape(
    "object", "", None, {"ts": Shape("uinteger", "", tso), "t": Shape("integer", "", named({1: "row"}))}
)
COLUMN = {"t": Shape("type", "", named({3: "INT"})), "v": Shape("value")}
VALUE = Shape("object", "", None, {"u": Shape("image", "The row.", None, COLUMN), "q": Shape("text")})
ONE = (1).to_bytes(8, "big")


def frame(content: bytes) -> bytes:
    return len(content).to_bytes(8, "big") + content


KEYS = ONE + frame(b'{"ts":262144,"t":1}') + frame(b'{"ts":524288,"t":3}')
VALUES = frame(b'{"u":{"id":{"t":3,"v":7},"b":{"t":3,"v":null}}}') + frame(b"")


def traced(value: bytes, key: bytes | None, error: DecodeError | None = None) -> list[Span]:
    return trace_frames(value, key, HEADS, KEY, VALUE, error)


def test_the_fields_of_both_parts_lie_where_they_are() -> None:
    found = traced(VALUES, KEYS)
    assert [span.part for span in found] == ["key"] * 9 + ["value"] * 11
    assert [span.path for span in found if span.part == "value"] == [
        "0", "0/length", "0/u", "0/u/id", "0/u/id/t", "0/u/id/v", "0/u/b", "0/u/b/t", "0/u/b/v", "1", "1/length",
    ]  # fmt: skip
    by_path = {(span.part, span.path): span for span in found}
    assert by_path["key", "version"][:5] == (0, 8, "version", "u64be", 1)
    assert by_path["key", "0/ts"].meaning.startswith("1970-01-01 00:00:00.001")
    assert by_path["key", "1/length"].value == len(b'{"ts":524288,"t":3}')
    assert (by_path["value", "0/u/id/v"].value, by_path["value", "0/u/id/v"].column) == (7, "id")
    assert (by_path["value", "0/u/b/v"].value, by_path["value", "0/u/b/v"].column) == (None, "b")
    assert (by_path["value", "0/u/id/t"].meaning, by_path["value", "0/u"].column) == ("INT", None)
    assert by_path["value", "0/u"].meaning == "The row."
    for span in found:
        data = KEYS if span.part == "key" else VALUES
        assert 0 <= span.start <= span.end <= len(data)
        if span.type == "u64be":
            assert int.from_bytes(data[span.start : span.end], "big") == span.value


def test_an_error_is_shown_in_the_part_that_it_is_of() -> None:
    at = VALUES.index(b'"b"')
    error = DecodeError("p", "0/u/b", at, "syntax", "this is not valid here", part="value")
    found = traced(VALUES, KEYS, error)
    assert (found[-1].part, found[-1].type, found[-1].start, found[-1].meaning) == (
        "value", "trouble", at, "this is not valid here",
    )  # fmt: skip
    assert [span.path for span in found if span.part == "value"][-2:] == ["0/u/id/v", "0/u/b"]
    in_key = traced(VALUES, KEYS, DecodeError("p", "0/ts", 24, "syntax", "no", part="key"))
    assert {span.part for span in in_key} == {"key"}


def test_messages_that_are_cut_off_show_what_there_is() -> None:
    for cut in range(len(KEYS)):
        assert all(span.end <= cut for span in traced(b"", KEYS[:cut]))
    for cut in range(len(VALUES)):
        assert all(span.end <= cut for span in traced(VALUES[:cut], KEYS) if span.part == "value")
    assert [span.path for span in traced(b"\xff" * 20, ONE)] == ["version", "0", "0/length"]


def test_a_message_without_a_key_says_so() -> None:
    (span,) = traced(VALUES, None, no_key("p", 0))
    assert (span.part, span.type, span.start, span.end, "give it with the value" in span.meaning) == (
        "key", "trouble", 0, 0, True,
    )  # fmt: skip
