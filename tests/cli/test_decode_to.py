"""`tidewire decode --to`: the typed rows of one table in a file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import tidewire
from tidewire.cli.main import app

EXAMPLE = Path(__file__).resolve().parents[2] / "examples/craft_topic.jsonl.gz"
RUN = CliRunner()


def test_rows_are_those_of_read_table(tmp_path: Path) -> None:
    out = tmp_path / "k.parquet"
    command = ["decode", str(EXAMPLE), "--table", "test.k_comp", "--to", "parquet", "--out", str(out)]
    done = RUN.invoke(app, command)
    assert done.exit_code == 0, done.stderr
    assert done.stderr == f"tidewire: 7 rows of test.k_comp written to {out}\n"
    found = pq.read_table(out)
    wanted = tidewire.read_table(EXAMPLE, "test.k_comp")
    order = [(name, "ascending") for name in ("_commit_timestamp", "_commit_version", "_commit_rank", "a")]
    assert found.sort_by(order).to_pylist() == wanted.sort_by(order).to_pylist()
    assert found.schema.equals(wanted.schema)
    assert list(tmp_path.iterdir()) == [out]


def test_arrow_of_a_pipe_goes_to_standard_output(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tidewire.cli", "decode", "--table", "test.times", "--to", "arrow"]
    with EXAMPLE.open("rb") as messages:
        done = subprocess.run(
            [*command, "-o", "timezone=Asia/Shanghai"], stdin=messages, capture_output=True, check=True
        )
    assert done.stderr.decode() == "tidewire: 9 rows of test.times written\n"
    assert pa.ipc.open_file(pa.py_buffer(done.stdout)).read_all().num_rows == 9


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--table", "test.k_cmp", "--to", "parquet"], "Did you mean test.k_comp?"),
        (["--table", "test.k_comp", "--to", "parquet", "-o", "timezone=Mars"], "timezone 'Mars' is not known"),
        (["--table", "test.k_comp", "--to", "parquet", "--limit", "1"], "--limit does not go with --to"),
        (["--table", "test.k_comp", "--to", "parquet", "--kind", "row"], "--kind does not go with --to"),
        (["--to", "parquet"], "--to goes with one --table"),
        (["--table", "a", "--table", "b", "--to", "parquet"], "--to goes with one --table"),
    ],
)
def test_what_cannot_be_done_leaves_no_file(arguments: list[str], sentence: str, tmp_path: Path) -> None:
    done = RUN.invoke(app, ["decode", str(EXAMPLE), *arguments, "--out", str(tmp_path / "out")])
    assert (done.exit_code, done.stdout) == (2, "")
    assert sentence in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_out_needs_a_format(tmp_path: Path) -> None:
    done = RUN.invoke(app, ["decode", str(EXAMPLE), "--table", "test.k_comp", "--out", str(tmp_path / "x")])
    assert done.exit_code == 2
    assert "--out goes with --to" in done.stderr


def test_bad_messages_are_said_and_their_rows_kept(tmp_path: Path) -> None:
    half = tmp_path / "half.gz"
    half.write_bytes(EXAMPLE.read_bytes()[: EXAMPLE.stat().st_size // 2])
    out = tmp_path / "strs.parquet"
    command = ["decode", str(half), "--table", "test.strs", "--to", "parquet", "--out", str(out)]
    done = RUN.invoke(app, command)
    assert done.exit_code == 1
    first, last = done.stderr.splitlines()
    assert "messages could not be read; column _corrupt_record has them. The first: " in first
    found = pq.read_table(out)
    bad = found["_change_type"].null_count
    assert bad == 1
    rows = found.num_rows - bad
    assert last == (
        f"tidewire: {rows + 1} rows written to {out}: {rows} of test.strs, and 1 of what could not be read, with the "
        "reason"
    )


def test_a_file_that_cannot_be_written_goes_by_its_own_name(tmp_path: Path) -> None:
    command = ["decode", str(EXAMPLE), "--table", "test.k_comp", "--to", "parquet", "--out"]
    missing = RUN.invoke(app, [*command, str(tmp_path / "none" / "x.parquet")])
    assert missing.stderr == f"tidewire: {tmp_path}/none/x.parquet: No such file or directory\n"
    folder = RUN.invoke(app, [*command, str(tmp_path)])
    assert folder.stderr.splitlines()[-1] == f"tidewire: {tmp_path}: Is a directory"
    assert missing.exit_code == folder.exit_code == 2
    assert list(tmp_path.iterdir()) == []
