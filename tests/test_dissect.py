"""The dissector's view: every byte beside its field, aligned, and damaged messages as far as they go."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import INSERT, events, tidewire
from recorded import craft_messages, golden

from tidewire.cli.spans import Kind, rows
from tidewire.runtime.spans import Span


@pytest.mark.codec
@pytest.mark.parametrize("option_set", ["default", "batch4"])
def test_every_byte_of_every_message_belongs_to_a_field(option_set: str) -> None:
    from tidewire import craft

    for message in craft_messages(option_set=option_set):
        found = rows(craft.dissect(message.value, message.key), len(message.value))
        assert not [row for row in found if row.kind in (Kind.gap, Kind.broken)], (message.scenario, message.number)
        leaves = sorted((row.start, row.end) for row in found if row.kind is Kind.leaf and row.end > row.start)
        assert [end for _, end in leaves[:-1]] == [start for start, _ in leaves[1:]], "one field for each byte"


def test_dissect_shows_bytes_fields_and_values() -> None:
    result = tidewire("dissect", "craft", "--hex", INSERT)
    assert result.exit_code == 0
    lines = [line.rstrip() for line in result.stdout.splitlines()]
    assert lines[0].startswith("craft  51 bytes")
    assert lines[1].split() == ["offset", "bytes", "field", "type", "value"]
    version = next(line for line in lines if " version " in line)
    assert version.split()[:3] == ["0", "01", "version"]
    assert any("82 80 c0 87 fb e3 8b e2" in line and "415508878783938562" in line for line in lines)
    assert any("61 61" in line and '"aa"' in line for line in lines)
    assert max(map(len, lines)) <= 120


@pytest.mark.parametrize("width", [100, 120, 140])
def test_columns_are_aligned(width: int) -> None:
    result = tidewire("dissect", "craft", "--hex", INSERT, width=width)
    lines = result.stdout.splitlines()
    field = lines[1].index("field")
    assert all(len(line) <= width for line in lines)
    assert all(line[field - 1] == " " for line in lines[2:] if line.strip())


def test_dissect_of_a_damaged_message_shows_what_was_understood_and_where_it_broke() -> None:
    damaged = INSERT[:30] + "7f" + INSERT[32:]  # the number of columns
    result = tidewire("dissect", "craft", "--hex", damaged)
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    broken = next(k for k, line in enumerate(lines) if "✗" in line)
    assert any(" count " in line for line in lines[:broken])
    assert any(" headers " in line for line in lines[:broken])
    assert any("sizes_length" in line for line in lines[broken:]), "what lies behind was understood all the same"


def test_what_only_the_decoder_refuses_is_shown_in_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    from tidewire import craft
    from tidewire.runtime.errors import DecodeError

    def refuse(*_: object) -> None:
        raise DecodeError("craft", "bodies/0", 20, "const", "no such thing")

    monkeypatch.setattr(craft, "decode", refuse)
    result = tidewire("dissect", "craft", "--hex", INSERT)
    assert result.exit_code == 1
    (line,) = [line for line in result.stdout.splitlines() if "✗" in line]
    assert line.split()[:3] == ["20", "✗", "bodies/0"]
    assert "no such thing" in line


@pytest.mark.parametrize("length", range(len(INSERT) // 2))
def test_dissect_survives_every_truncation(length: int) -> None:
    result = tidewire("dissect", "craft", "--hex", INSERT[: 2 * length])
    assert result.exit_code == 1
    assert "✗" in result.stdout


def test_dissect_picks_messages_and_draws(tmp_path: Path) -> None:
    source = golden() / "tiflow" / "batches" / "craft.default.jsonl"
    picture = tmp_path / "m.svg"
    result = tidewire("dissect", "craft", source, "-m", 2, "-m", 0, "--svg", picture)
    assert result.exit_code == 0
    assert [line for line in result.stdout.splitlines() if line.startswith("craft  ")] == [
        f"craft  {len(message.value)} bytes  {source}:{message.number + 2}"
        for message in craft_messages("batches", "default")
        if message.number in (0, 2)
    ]
    assert picture.read_text("utf-8").startswith("<svg")
    none = tidewire("dissect", "craft", source, "-m", 99)
    assert none.exit_code == 2
    assert "numbered from 0 to 7" in none.stderr


def test_dissect_as_json_has_the_spans() -> None:
    spans = events(tidewire("dissect", "craft", "--hex", INSERT, "--json"))
    first = next(span for span in spans if span["path"] == "version")
    assert (first["start"], first["end"], first["value"], first["message"]) == (0, 1, 1, 0)


def test_depth_keeps_the_bytes_of_what_it_hides() -> None:
    flat = tidewire("dissect", "craft", "--hex", INSERT, "--depth", 0).stdout
    assert "│" not in flat
    assert "82 80 c0 87 fb e3 8b e2" in flat


def test_spans_become_a_tree_with_gaps() -> None:
    spans = [
        Span(0, 4, "a", "struct", None, "", 0),
        Span(0, 1, "a/x", "u8", 1, "", 1),
        Span(2, 4, "a/y", "bytes", b"hi", "", 1),
        Span(4, 4, "empty", "string", "", "", 0),
    ]
    found = rows(spans, 6)
    assert [(row.kind.value, row.label, row.start, row.end, row.depth) for row in found] == [
        ("group", "a", 0, 4, 0),
        ("leaf", "x", 0, 1, 1),
        ("gap", "not understood", 1, 2, 0),
        ("leaf", "y", 2, 4, 1),
        ("leaf", "empty", 4, 4, 0),
        ("gap", "not understood", 4, 6, 0),
    ]
    broken = rows(spans[:2], 6, broken=(2, "a/y", "2 bytes are needed"))
    assert [(row.kind.value, row.start) for row in broken] == [
        ("group", 0),
        ("leaf", 0),
        ("gap", 1),
        ("broken", 2),
        ("gap", 2),
    ]
