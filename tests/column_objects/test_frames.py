"""Length-prefixed contents: nothing beyond a content is read, whatever follows."""

from __future__ import annotations

import struct

import pytest

from tidewire.runtime.decoding.layout_cache import LayoutCache
from tidewire.runtime.decoding.row_tables import Tables
from tidewire.runtime.errors import REASONS, WireError
from tidewire.runtime.json.column_objects import ColumnMembers, ColumnObjects
from tidewire.runtime.json.cursor import JsonCursor
from tidewire.runtime.json.sink import JsonSink

from .peer import values

pytestmark = pytest.mark.codec
VERSION, FRAME, IMAGE, COLUMN = range(4)


def cursor(message: bytes) -> JsonCursor:
    r = JsonCursor()
    r.receive([message])
    r.load(0)
    r.begin()
    return r


def read_one(message: bytes) -> None:
    """A version and an empty frame."""
    r = cursor(message)
    r.expect_u64(1, VERSION)
    r.frame(FRAME)
    r.close(FRAME)
    r.finished(FRAME)


def error(caught: pytest.ExceptionInfo[WireError]) -> tuple[object, ...]:
    e = caught.value
    return REASONS[e.code][0], e.field, e.offset, e.needed, e.available


def test_frames_that_were_written_are_read() -> None:
    contents = [b"", b"{}", b" " * 300, b"x" * 70000, b""]
    sink = JsonSink(False)
    sink.raw(struct.pack(">Q", 2**64 - 2))
    for content in contents:
        start = sink.open_frame()
        sink.raw(content)
        sink.close_frame(start)
    message = sink.written(0)
    assert message == struct.pack(">Q", 2**64 - 2) + b"".join(struct.pack(">Q", len(c)) + c for c in contents)
    r = cursor(message)
    r.expect_u64(2**64 - 2, VERSION)
    for content in contents:
        assert r.more()
        r.frame(FRAME)
        assert r.empty() == (not content)
        assert message[r.pos : r.end] == content
    assert not r.more()
    r.finished(FRAME)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (b"", ("truncated", VERSION, 0, 8, 0)),
        (bytes(7), ("truncated", VERSION, 0, 8, 7)),
        (bytes(8), ("const", VERSION, 0, 0, 1)),
        (b"\xff" * 8, ("const", VERSION, 0, 2**63 - 1, 1)),
        (struct.pack(">Q", 1), ("truncated", FRAME, 8, 8, 0)),
        (struct.pack(">Q", 1) + bytes(3), ("truncated", FRAME, 8, 8, 3)),
        (struct.pack(">QQ", 1, 3) + b"{}", ("truncated", FRAME, 16, 3, 2)),
        (struct.pack(">QQ", 1, 2**63) + b"{}", ("truncated", FRAME, 16, 2**63 - 1, 2)),
        (struct.pack(">QQ", 1, 2**64 - 1) + b"{}", ("truncated", FRAME, 16, 2**63 - 1, 2)),
        (struct.pack(">QQ", 1, 2**56) + b"{}", ("truncated", FRAME, 16, 2**56, 2)),
        (struct.pack(">QQ", 1, 1) + b"{}", ("truncated", FRAME, 17, 8, 1)),
        (struct.pack(">QQ", 1, 0) + b"{}" + b" " * 6, ("truncated", FRAME, 24, 0x7B7D202020202020, 0)),
        (struct.pack(">QQ", 1, 2) + b" {", ("trailing", FRAME, 17, 1, 0)),
        (struct.pack(">QQ", 1, 2) + b"  x", ("truncated", FRAME, 18, 8, 1)),
        (struct.pack(">QQ", 1, 2) + b"  \0", ("trailing", FRAME, 18, 1, 0)),
    ],
)
def test_what_is_wrong_with_a_frame_is_named(message: bytes, expected: tuple[object, ...]) -> None:
    with pytest.raises(WireError) as caught:
        read_one(message)
    assert error(caught) == expected


IMAGE_TEXT = (
    '{"a":{"type":0,"flags":1,"value":-12},"b":{"type":3,"flags":1,"value":1.5e3},'
    '"c":{"type":7,"flags":1,"value":"x\\ud83d\\ude00é"},"d":{"type":5,"flags":1,"value":"QUJD"},'
    '"e":{"type":6,"flags":1,"value":"\\\\x41"},"f":{"type":0,"flags":1,"value":null}} '
).encode()


class Frames:
    """Reads each frame of a message as an image."""

    def __init__(self) -> None:
        self.cache = LayoutCache()
        self.tables = Tables(self.cache, None, -1, values, True, None, 2, 0)
        self.objects = ColumnObjects(ColumnMembers(("type", "flags", "value"), 0, 1, -1, 2, 0))

    def read(self, message: bytes) -> None:
        self.cache.begin()
        self.tables.begin()
        self.cache.start()
        r = cursor(message)
        while r.more():
            r.frame(FRAME)
            self.objects.read(r, self.tables.of("s", "t"), self.cache, 0, 0, IMAGE, COLUMN)
            r.close(FRAME)


def test_no_content_is_read_on_into_its_neighbour() -> None:
    """A content that is cut, and goes on behind the next length as if that were not there."""
    frames = Frames()
    whole = struct.pack(">Q", len(IMAGE_TEXT)) + IMAGE_TEXT
    frames.read(whole * 3)
    for cut in range(len(IMAGE_TEXT) - 1):
        head, rest = IMAGE_TEXT[:cut], IMAGE_TEXT[cut:]
        for behind in (struct.pack(">Q", len(rest)) + rest, whole, b""):
            with pytest.raises(WireError) as caught:
                frames.read(whole + struct.pack(">Q", cut) + head + behind)
            # and the trouble is inside of the content
            assert len(whole) + 8 <= caught.value.offset <= len(whole) + 8 + cut, (cut, caught.value)


def test_a_length_that_is_too_short_is_no_content() -> None:
    """What goes on behind it is not read, whatever was read before: the error is the same."""
    for before in (b"", struct.pack(">Q", len(IMAGE_TEXT)) + IMAGE_TEXT):
        for told in range(len(IMAGE_TEXT) - 1):
            frames = Frames()
            if before:
                frames.read(before)
            with pytest.raises(WireError) as caught:
                frames.read(struct.pack(">Q", told) + IMAGE_TEXT)
            left = len(IMAGE_TEXT) - told
            assert error(caught)[:3] == ("truncated", FRAME, 8 + told + (8 if left >= 8 else 0))
