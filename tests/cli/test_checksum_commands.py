"""Checksums of rows on the command line."""

from __future__ import annotations

import base64
import json
from pathlib import Path

from checksums.recordings import RECORDINGS, messages, summed
from commands import events, tidewire

VALUES = messages(next(one for one in RECORDINGS if "tiflow/checksum" in str(one)))
SUMS = ("checksum", "checksum_before", "checksum_version", "checksum_corrupted")


def file_of(path: Path, values: list[bytes]) -> Path:
    """A file with messages, a line of hex each."""
    path.write_text("".join(f"{value.hex()}\n" for value in values))
    return path


def test_decode_verifies_checksums(tmp_path: Path) -> None:
    at = next(at for at in summed(VALUES) if b'"INSERT"' in VALUES[at])
    damaged = [value.replace(b'"id":"1"', b'"id":"7"') if n == at else value for n, value in enumerate(VALUES)]
    path = file_of(tmp_path / "m.hex", damaged)
    result = tidewire("decode", "simple", path, "-o", "verify-checksum=true")
    assert result.exit_code == 1
    assert len(events(result)) == len(VALUES) - 1
    assert f"{path}:{at + 1}: simple row: the new row of" in result.stderr
    assert tidewire("decode", "simple", path).exit_code == 0


def test_decode_says_what_it_could_not_verify(tmp_path: Path) -> None:
    values = [value.replace(b'"location":"UTC"', b'"location":"SYSTEM"') for value in VALUES]
    result = tidewire("decode", "simple", file_of(tmp_path / "m.hex", values), "-o", "verify-checksum=true")
    assert result.exit_code == 0
    assert len(events(result)) == len(VALUES)
    (line,) = result.stderr.splitlines()
    assert "the checksums of 4 rows are not verified: column `f`: a local time in a time zone `SYSTEM`" in line


def test_encode_computes_checksums(tmp_path: Path) -> None:
    decoded = events(tidewire("decode", "simple", "--exact", file_of(tmp_path / "m.hex", VALUES)))
    lines = [{name: value for name, value in event.items() if name not in SUMS} for event in decoded]
    path = tmp_path / "events.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    result = tidewire("encode", "simple", path, "-o", "compute-checksum=true")
    assert result.exit_code == 0, result.stderr
    assert [base64.b64decode(json.loads(line)["value"]) for line in result.stdout.splitlines()] == VALUES
    rows = tmp_path / "rows.jsonl"
    rows.write_text("".join(f"{json.dumps(line)}\n" for line in lines if "table_version" in line))
    refused = tidewire("encode", "simple", rows, "-o", "compute-checksum=true")
    assert refused.exit_code == 1
    assert refused.stdout == ""
    assert "is not described" in refused.stderr


def test_transcoding_computes_and_verifies(tmp_path: Path) -> None:
    path = file_of(tmp_path / "m.hex", VALUES)
    result = tidewire(
        "transcode", "simple", "simple", path, "-s", "verify-checksum=true", "-t", "compute-checksum=true"
    )
    assert result.exit_code == 0, result.stderr
    assert [base64.b64decode(json.loads(line)["value"]) for line in result.stdout.splitlines()] == VALUES
