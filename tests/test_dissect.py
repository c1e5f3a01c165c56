"""The dissector's view: every byte beside its field, aligned, and damaged messages as far as they go."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import INSERT, events, tidewire
from recorded import canal_json_values, craft_messages, golden, messages, option_set, streams
from rich.cells import cell_len

from tidewire.cli import view_text
from tidewire.cli.spans import Kind, rows
from tidewire.craft.dissector import dissect as craft_dissect
from tidewire.runtime.dissecting.json_tracer import OTHER, followed
from tidewire.runtime.dissecting.shapes import Shape
from tidewire.runtime.dissecting.spans import Span


@pytest.mark.codec
@pytest.mark.parametrize("option_set", ["default", "batch4"])
def test_every_byte_of_every_message_belongs_to_a_field(option_set: str) -> None:
    from tidewire import craft

    for message in craft_messages(option_set=option_set):
        found = rows(craft.dissect(message.value, message.key), message.value)
        assert [row.start for row in found] == sorted(row.start for row in found)
        assert not [row for row in found if row.kind in (Kind.gap, Kind.broken)], (message.scenario, message.number)
        leaves = sorted((row.start, row.end) for row in found if row.kind is Kind.leaf and row.end > row.start)
        assert [end for _, end in leaves[:-1]] == [start for start, _ in leaves[1:]], "one field for each byte"


@pytest.mark.codec
def test_every_byte_of_a_record_belongs_to_a_field_the_branches_of_unions_too() -> None:
    from tidewire import simple

    found = 0
    for stream in streams("simple-records"):
        if option_set(stream) != "avro":
            continue
        for message in messages(stream):
            shown = rows(simple.dissect(message.value), message.value)
            assert not [row for row in shown if row.kind in (Kind.gap, Kind.broken)], (stream, message.number)
            found += any(row.type == "union" and row.value == "map" for row in shown)
    assert found


def test_dissect_shows_bytes_fields_and_values() -> None:
    result = tidewire("dissect", "craft", "--hex", INSERT)
    assert result.exit_code == 0
    lines = [line.rstrip() for line in result.stdout.splitlines()]
    assert lines[0].startswith("craft  51 bytes")
    assert lines[1].split() == ["offset", "bytes", "text", "field", "type", "value"]
    version = next(line for line in lines if " version " in line)
    assert version.split()[:4] == ["0", "01", ".", "version"]
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


@pytest.mark.parametrize("depth", range(7))
def test_the_break_is_shown_at_any_depth(depth: int) -> None:
    damaged = INSERT[:30] + "7f" + INSERT[32:]
    result = tidewire("dissect", "craft", "--hex", damaged, "--depth", depth)
    assert result.exit_code == 1
    assert "✗" in result.stdout


# --- text -------------------------------------------------------------------------------------------------------------

INSERTED = (
    b'{"id":0,"database":"test","table":"t","pkNames":["id"],"isDdl":false,"type":"INSERT","es":1,"ts":2,"sql":"",'
    b'"sqlType":{"id":4,"a/b":12},"mysqlType":{"id":"int unsigned","a/b":"varchar"},"old":null,'
    b'"data":[{"id":"1","a/b":null}],"gtid":{"a":[1,2]}}'
)


def text_lines(value: bytes, width: int = 120, *arguments: object) -> list[str]:
    """What `dissect` prints of a message of Canal-JSON, with its exit code checked to fit what is shown."""
    result = tidewire("dissect", "canal-json", "--hex", value.hex(), *arguments, width=width)
    assert (result.exit_code == 1) is ("✗" in result.stdout)
    lines: list[str] = [line.rstrip() for line in result.stdout.splitlines()]
    assert max(map(cell_len, lines)) <= width
    return lines


def test_text_is_shown_as_text_with_what_it_means() -> None:
    lines = text_lines(INSERTED)
    assert lines[1].split() == ["offset", "field", "value", "meaning"]
    rows = {tuple(line.split()[:4]) for line in lines}
    for wanted in (
        ("8", "database", '"test"', "The"),
        (str(INSERTED.index(b'"old"')), "old", "null", "The"),
        (str(INSERTED.index(b'"a/b":null')), "│", "│", "a/b"),
    ):
        assert wanted in rows
    assert any(line.endswith("int unsigned") for line in lines), "the column's type beside its value"
    assert any("1970-01-01 00:00:00.001 UTC. When the transaction committed" in line for line in lines)
    assert any("gtid" in line and '{"a":[1,2]}' in line for line in lines)
    assert not any("not understood" in line or "22 " in line for line in lines)


@pytest.mark.codec
def test_nothing_of_a_recorded_text_is_not_understood_and_offsets_are_in_order() -> None:
    from tidewire import canal_json

    for value in canal_json_values():
        found = rows(canal_json.dissect(value), value, text=view_text)
        assert not [row for row in found if row.kind in (Kind.gap, Kind.broken)]
        assert [row.start for row in found] == sorted(row.start for row in found)
        members = [row for row in found if row.depth == 0 and row.kind is not Kind.group]
        assert all(row.meaning for row in members if row.label != "sqlType")


def test_several_objects_of_a_value_are_told_apart_and_have_their_own_types() -> None:
    other = INSERTED.replace(b'"int unsigned"', b'"bigint"')
    lines = text_lines(INSERTED + b"\r\n" + other + b"\r\n")
    assert [line.split()[:2] for line in lines if line[8:9] in "01" and line[6:8] == "  "] == [
        ["0", "0"],
        [str(len(INSERTED) + 2), "1"],
    ]
    values = [line.split()[-1] for line in lines if "│ │ │ id" in line]
    assert values == ["unsigned", "bigint"]


@pytest.mark.parametrize("width", [60, 80, 100, 120, 200])
@pytest.mark.parametrize("cut", [None, 0, 1, 90, 150, 200, 230])
def test_damaged_text_is_shown_as_far_as_it_goes(width: int, cut: int | None) -> None:
    value = INSERTED.replace(b'"ts":2', b'"ts":"x"') if cut is None else INSERTED[:cut]
    lines = text_lines(value, width)
    broken = next(line for line in lines if "✗" in line)
    assert broken.split()[0] == ("92" if cut is None else str(cut))
    if cut is None:
        assert "✗ ts" in broken
        assert '"ts":"x"' in broken


def test_a_name_without_a_value_is_not_understood() -> None:
    lines = text_lines(INSERTED[: INSERTED.index(b'"old"') + 6])
    (gap,) = [line for line in lines if "not understood" in line]
    assert gap.split()[-1] == '"old"'


@pytest.mark.parametrize("shape", [OTHER, Shape("object", "", None, {"b": Shape("object", "", None, {"c": OTHER})})])
def test_no_name_is_lost_of_an_object_that_is_cut_off(shape: Shape) -> None:
    """What cannot be parsed begins with the name whose value is not there."""
    whole = b'{"a":1,"b":{"c":2},"d":"e"}'
    for length in range(len(whole) + 1):
        found = followed(whole[:length], shape)
        shown = {at for span in found.spans for at in range(span.start, span.end)}
        lost = bytes(whole[at] for at in range(found.pos) if at not in shown)
        assert not lost.strip(b"{},"), whole[:length]


@pytest.mark.parametrize("width", [60, 100, 200])
def test_offsets_counts_and_numbers_are_never_cut(width: int) -> None:
    message = next(iter(craft_messages("large", "default")))
    big = max(craft_messages("large", "default"), key=lambda one: len(one.value))
    for one in (message, big):
        shown = tidewire("dissect", "craft", "--hex", one.value.hex(), width=width).stdout
        lines = shown.splitlines()
        assert max(map(cell_len, lines)) <= width
        found = rows(craft_dissect(one.value), one.value)
        starts = [line.split()[0] for line in lines[2:] if line[:6].strip().isdigit()]
        assert starts == [str(row.start) for row in found]
        joined = " ".join(" ".join(line[6:].split()) for line in lines)
        for row in found:
            if row.kind is Kind.group:
                assert f" {row.end - row.start} byte" in joined
        numbers = [str(row.value) for row in found if row.kind is Kind.leaf and isinstance(row.value, int)]
        assert all(number in shown.replace(" ", "").replace("\n", "") or number in shown for number in numbers)


def test_binary_has_a_text_column_and_the_types_of_columns() -> None:
    shown = tidewire("dissect", "craft", "--hex", INSERT).stdout
    line = next(line for line in shown.splitlines() if " 61 61 " in line)
    assert line.split()[3] == "aa"
    assert '"aa"  val varchar' in line


HOSTILE = ":100: [red]x[/] \x1b[2J\u202e\u200b\x9b \U0001f600"


@pytest.mark.parametrize("width", [60, 120])
def test_data_commands_no_terminal(width: int, tmp_path: Path) -> None:
    from tidewire import canal_json, craft
    from tidewire.events import Column, RowChange

    columns = [Column("id", 3, 11, "int"), Column(HOSTILE, 15, 64, "varchar(20)")]
    row = {"id": 1, HOSTILE: HOSTILE}
    change = RowChange("insert", 7 << 18, HOSTILE, HOSTILE, new=row, columns=columns)
    for module, name in ((craft, "craft"), (canal_json, "canal-json")):
        (message,) = module.encode([change])
        for more in ([], ["--json"], ["--full"]):
            result = tidewire("dissect", name, "--hex", message.value.hex(), *more, width=width)
            assert result.exit_code == 0
            assert ":100:" in result.stdout
            assert "[red]" in result.stdout
            assert not [one for one in result.stdout if not one.isprintable() and one != "\n"]
        broken = tidewire("dissect", name, "--hex", message.value[:-9].hex(), width=width)
        assert broken.exit_code == 1
        assert not [one for one in broken.stdout if not one.isprintable() and one != "\n"]


def test_spans_become_a_tree_with_gaps() -> None:
    spans = [
        Span(0, 4, "a", "part", None, "", 0),
        Span(0, 1, "a/x", "u8", 1, "", 1),
        Span(2, 4, "a/y", "bytes", b"hi", "", 1),
        Span(4, 4, "empty", "string", "", "", 0),
    ]
    found = rows(spans, bytes(6))
    assert [(row.kind.value, row.label, row.start, row.end, row.depth) for row in found] == [
        ("group", "a", 0, 4, 0),
        ("leaf", "x", 0, 1, 1),
        ("gap", "not understood", 1, 2, 0),
        ("leaf", "y", 2, 4, 1),
        ("leaf", "empty", 4, 4, 0),
        ("gap", "not understood", 4, 6, 0),
    ]
    behind = [Span(3, 5, "b", "part", None, "", 0), Span(3, 5, "b/y", "u8", 1, "", 1)]
    assert [(row.kind.value, row.start, row.end) for row in rows([*spans[:2], *behind], bytes(5))] == [
        ("group", 0, 4),
        ("leaf", 0, 1),
        ("gap", 1, 3),
        ("group", 3, 5),
        ("leaf", 3, 5),
    ]
    broken = rows(spans[:2], bytes(6), broken=(2, "a/y", "2 bytes are needed"))
    assert [(row.kind.value, row.start) for row in broken] == [
        ("group", 0),
        ("leaf", 0),
        ("gap", 1),
        ("broken", 2),
        ("gap", 2),
    ]
