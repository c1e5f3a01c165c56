"""Lines and files beyond the size limit, plain and compressed: each is an error of its own, others are read, and memory
stays bounded.
"""

from __future__ import annotations

import gzip
import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from typer.testing import CliRunner

from tidewire import canal_json
from tidewire.cli.inputs import read
from tidewire.cli.main import app
from tidewire.events import Watermark
from tidewire.reading.files import arrivals, pairs, streams
from tidewire.reading.files.formats import Format
from tidewire.reading.files.streams import MOST_LINE, MOST_UNPACKED, TOO_LONG, lines

OPTIONS = canal_json.Options(enable_tidb_extension=True)
MESSAGE = canal_json.encode([Watermark(470607536966860800)], OPTIONS)[0].value or b""
MOST = 1 << 20


@pytest.fixture
def less(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limits, in small."""
    for module in (streams, arrivals, pairs):
        monkeypatch.setattr(module, "MOST_LINE", MOST)
    monkeypatch.setattr(streams, "MOST_UNPACKED", 16 * MOST)


def zstd(data: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as out:
        out.write(data)
    packed: bytes = sink.getvalue().to_pybytes()
    return packed


PACKINGS: dict[str, Callable[[bytes], bytes]] = {"plain": bytes, "gzip": gzip.compress, "zstd": zstd}


def test_the_limits_are_those_of_the_manual() -> None:
    text = (Path(__file__).parent.parent.parent / "docs" / "limits.md").read_text(encoding="utf-8")
    assert f"{MOST_LINE:,} bytes" in text
    assert f"{MOST_UNPACKED:,} bytes" in text


@pytest.mark.parametrize("packing", PACKINGS)
@pytest.mark.parametrize("form", [Format.lines, Format.jsonl, Format.hex, Format.recorded, Format.auto])
@pytest.mark.usefixtures("less")
def test_a_line_that_is_too_long_costs_itself(packing: str, form: Format, tmp_path: Path) -> None:
    line = MESSAGE.hex().encode() if form is Format.hex else MESSAGE
    if form in (Format.jsonl, Format.recorded):
        line = json.dumps({"m": 0, "value": MESSAGE.decode()}).encode()
    path = tmp_path / "file"
    path.write_bytes(PACKINGS[packing](b"\n".join([line, b"x" * (3 * MOST), line, b"{" * (MOST + 1), line])))
    found = list(read(str(path), form))
    assert [one.value for one in found] == [MESSAGE, None, MESSAGE, None, MESSAGE]
    for number in (1, 3):
        assert found[number].location == f"{path}:{number + 1}"
        assert f"longer than {MOST:,} bytes" in (found[number].problem or "")


@pytest.mark.parametrize("size", [MOST - 1, MOST, MOST + 1])
@pytest.mark.parametrize("piece", [7, 1 << 16])
@pytest.mark.usefixtures("less")
def test_where_the_limit_lies(size: int, piece: int) -> None:
    if piece == 7:
        size = size - MOST + 100  # in pieces of some bytes a short line
    data = b"a\n" + b"x" * size + b"\nb"
    pieces = [data[at : at + piece] for at in range(0, len(data), piece)]
    found = [one for some in lines(pieces) for one in some]
    assert found == [b"a", TOO_LONG if size > MOST else b"x" * size, b"b"]


@pytest.mark.parametrize("packing", PACKINGS)
@pytest.mark.parametrize("form", [Format.raw, Format.auto, Format.pairs])
@pytest.mark.usefixtures("less")
def test_a_file_that_is_too_long_is_not_held(packing: str, form: Format, tmp_path: Path) -> None:
    path, other = tmp_path / "long", tmp_path / "other"
    head = (5 * MOST).to_bytes(8, "big") if form is Format.pairs else b""
    path.write_bytes(PACKINGS[packing](head + b"\xff" * (12 * MOST)))
    other.write_bytes(MESSAGE)
    tracemalloc.start()
    try:
        (found,) = read(str(path), form)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found.value is None
    assert found.problem is not None
    assert peak < 6 * MOST
    result = CliRunner().invoke(app, ["decode", "--protocol", "canal-json", str(path), str(other), "--from", "raw"])
    assert result.exit_code == 1
    assert '"op":"watermark"' in result.stdout or "watermark" in result.stdout
    assert f"longer than {MOST:,} bytes" in result.stderr


@pytest.mark.parametrize("packing", ["gzip", "zstd"])
@pytest.mark.usefixtures("less")
def test_a_bomb_of_many_lines_ends(packing: str, tmp_path: Path) -> None:
    path = tmp_path / "bomb"
    path.write_bytes(PACKINGS[packing](MESSAGE + b"\n" * (40 * MOST)))
    assert path.stat().st_size < MOST // 8
    first, last = read(str(path), Format.lines)
    assert first.value == MESSAGE
    assert f"becomes more than {16 * MOST:,} bytes" in (last.problem or "")
