"""Strings with escapes: every escape at every position in the blocks in which strings are read."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

import tidewire.runtime
from canal_json.test_reading import decoded, insert, only, refused
from tidewire.canal_json import Decoder

pytestmark = pytest.mark.codec

COMPILED = tidewire.runtime.compiled
PLACES = range(131) if COMPILED else (*range(0, 131, 13), 63, 64)
"""Bytes before the escape: a block has 64."""
ESCAPES = [
    *(f"\\{c}" for c in '"\\/bfnrt'),
    *("\\u0000", "\\u003c", "\\u003C", "\\u00e9", "\\u07ff", "\\u0800", "\\u4e2d", "\\uffff", "\\ud83d\\ude00"),
    *("\\\\" * 3, '\\\\\\"', "\\\\n", "\\\\u003c", "\\ud83d\\ude00\\ud83d\\ude00", "é\\n", "中\\\\", '\\"' * 70),
]
WRONG = [
    # what stands there, and how many bytes on the byte is that is wrong
    *(("\\x41", 1), ("\\U0041", 1), ("\\0", 1), ("\\u12G4", 4), ("\\u", 2), ("\\u123", 5), ("\\ud83d\\ude", 10)),
    *(("\x01", 0), ("\n", 0), ("\\\n", 1), ("\\n\x1f", 2), ("\\\\\\a", 3), ("\\ud83d\\x", 7)),
]
HALVES = ["\\ud800", "\\udc00", "\\ud83d\\u0041", "\\ud83d\\n", "\\ud800\\ud800", "\\udc00\\ud83d"]


def texts(special: str) -> list[str]:
    return ["p" * before + special + "q" * (before % 67) for before in PLACES]


@pytest.mark.parametrize("special", ESCAPES)
def test_content_is_what_json_says(special: str) -> None:
    """As a value, as bytes, as a text beside rows, as the name of a column, and in a value that is passed over."""
    contents = texts(special)
    wanted = [json.loads(f'"{content}"') for content in contents]
    messages = [insert("text", f'"{content}"', sql=f'"{content}"', other=f'["{content}"]') for content in contents]
    columns = decoded(*messages)
    assert not columns.errors
    (layout,) = columns.layouts
    assert layout.arrays[0].to_pylist() == wanted
    latin = [text for text in wanted if all(ord(c) < 256 for c in text)]
    columns = decoded(*(insert("blob", f'"{content}"') for content in contents[: len(latin)]))
    assert not columns.errors
    if latin:
        assert columns.layouts[0].arrays[0].to_pylist() == [text.encode("latin-1") for text in latin]
    for content, text in list(zip(contents, wanted, strict=True))[::17]:
        named = decoded(insert("", "", mysqlType=f'{{"{content}":"int"}}', data=f'[{{"{content}":"5"}}]'))
        assert [column.name for column in named.layouts[0].columns] == [text]


def test_several_strings_of_a_row() -> None:
    """Each has its own place without its escapes; numbers and labels with escapes lie among them."""
    types = {"a": "text", "b": "int", "c": "blob", "d": "enum('x','y')", "e": "double", "f": "text", "g": "text"}
    row = (
        '{"a":"1\\n%s","b":"\\u0031\\u0032","c":"\\u00ff\\n%s","d":"\\u0079","e":"\\u0031.5","f":"%s\\u4e2d","g":"\\""}'
    )
    rows = ",".join(row % ("x" * n, "\\u0080" * n, "é\\t" * n) for n in (0, 1, 70, 9))
    columns = decoded(insert("", "", mysqlType=json.dumps(types), data=f"[{rows}]"))
    assert not columns.errors
    assert columns.layouts[0].to_batch().to_pylist() == [
        {
            "a": "1\n" + "x" * n,
            "b": 12,
            "c": b"\xff\n" + b"\x80" * n,
            "d": 2,
            "e": 1.5,
            "f": "é\t" * n + "中",
            "g": '"',
        }
        for n in (0, 1, 70, 9)
    ]


@pytest.mark.parametrize(("special", "wrong"), WRONG)
def test_wrong_byte_is_told_where_it_is(special: str, wrong: int) -> None:
    start = insert("text", '"').index(b'[{"c":"') + 7
    for before in PLACES:
        content = "p" * before + special
        error = refused(insert("text", f'"{content}"'))
        assert (error.code, error.offset) == ("syntax", start + before + len(special[:wrong])), before
        # the same where nobody reads it
        passed = insert("text", "null", other=f'["{content}"]')
        error = refused(passed)
        assert (error.code, error.offset) == ("syntax", passed.index(b'["') + 2 + before + wrong), before


@pytest.mark.parametrize("special", ["", *ESCAPES[:18]])
def test_message_that_ends_in_a_string(special: str) -> None:
    """At every byte of an escape, and wherever in a block."""
    start = insert("text", '"').index(b'[{"c":"') + 7
    for before in PLACES:
        content = ("p" * before + special).encode()
        whole = insert("text", '"')[:start] + content
        for size in range(len(whole) - len(special), len(whole) + 1):
            error = refused(whole[:size])
            assert (error.code, error.offset) == ("truncated", size)


@pytest.mark.parametrize("special", HALVES)
def test_half_a_pair_is_no_text(special: str) -> None:
    for before in PLACES:
        content = "p" * before + special + "\\n"
        for declared in ("text", "blob", "int"):
            message = insert(declared, f'"{content}"')
            start = message.index(b'[{"c":"') + 7
            error = refused(message)
            assert (error.code, error.offset) == ("utf8", start + before), declared
        assert only(insert("text", f'"{content}"'), invalid_text="bytes") == json.loads(f'"{content}"').encode(
            "utf-8", "surrogatepass"
        )


def test_bytes_that_are_no_text_among_escapes() -> None:
    start = insert("text", '"').index(b'[{"c":"') + 7
    for before in PLACES:
        for wrong in ("\udcff", "\udcc3", "\udce4\udcb8\\n", "\udced\udca0\udc80"):
            error = refused(insert("text", '"' + "p" * before + "\\n" + wrong + '"'))
            assert (error.code, error.offset) == ("utf8", start)


def test_long_text_with_escapes_costs_little_more_than_without() -> None:
    """A JSON document in a column of text, an escape every few bytes: by time, with room for a busy machine."""
    document = json.dumps([{"name": f"customer {n}", "city": "Oslo", "n": n, "note": "two\nlines"} for n in range(60)])
    size = 200 if COMPILED else 20
    batches = {
        kind: [insert("text", json.dumps(text * 5))] * size
        for kind, text in (("escaped", document), ("plain", "x" * len(json.dumps(document))))
    }
    decoder, best = Decoder(), dict.fromkeys(batches, 1e9)
    for _ in range(8):
        for kind, messages in batches.items():
            start = time.process_time()
            result: Any = decoder.decode(messages)
            best[kind] = min(best[kind], time.process_time() - start)
            assert not result.errors
    assert not COMPILED or best["escaped"] < 6 * best["plain"], best
