"""`tidewire sync` in its own process: all output that users see."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tidewire.cli.shell import CommandError
from tidewire.cli.sync_file import read_sync_file
from tidewire.cli.sync_session import check_lines, messages, told

CAPTURE = Path(__file__).parents[2] / "examples" / "canal_json_topic.jsonl.gz"


def written(folder: Path, **more: str) -> Path:
    """A file that keeps tables of the capture."""
    lines = {
        "source": f"{{protocol: canal-json, files: {CAPTURE}, timezone: Asia/Shanghai}}",
        "into": f'{{format: parquet, table: "{folder}/lake/{{schema}}/{{table}}"}}',
        "tables": '{"test.k_*": {}}',
        "state": f"{folder}/state",
        **more,
    }
    path = folder / "shop.yaml"
    path.write_text("".join(f"{name}: {value}\n" for name, value in lines.items()))
    return path


def ran(*words: object, **env: str) -> subprocess.CompletedProcess[str]:
    """What a process said."""
    command = [sys.executable, "-P", "-m", "tidewire.cli", "sync", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False, env={**os.environ, **env})


def test_nothing_of_java_and_spark_is_shown_unless_it_is_asked_for(tmp_path: Path) -> None:
    path = written(tmp_path)
    done = ran(path, "--once")
    assert done.returncode == 0
    assert done.stderr == ""
    assert done.stdout.startswith("batch 1: 152 messages, ")
    assert ran("plan", path).stderr == "tidewire: starting Spark\ntidewire: looking at 100,000 messages at most\n"
    done = ran("maintain", path, "--json")
    assert (done.returncode, done.stderr) == (0, "tidewire: starting Spark\n")
    found = {one.pop("table"): one for one in map(json.loads, done.stdout.splitlines())}
    counts = {"compacted": 0, "expired": 0, "removed": 0, "notes": [], "failures": [], "dry_run": False}
    assert found == {
        # the version with which it was created is in no record
        name: {"kind": "table", **counts, "expired": int(name == "test.k_comp")}
        for name in ("test.k_comp", "test.k_none", "test.k_uk")
    }
    assert "maintenance: not by the stream (maintain.every), " in ran("status", path).stdout


_STARTS = """
import subprocess, sys, threading
from tidewire.cli.sync_session import _java_to_stderr, _quiet

def java(*lines):
    program = "import sys; [print(one, file=sys.stderr, flush=True) for one in sys.argv[1:]]; sys.stdin.read()"
    return subprocess.Popen([sys.executable, "-c", program, *lines], stdin=subprocess.PIPE)

with _quiet(len(sys.argv) > 1), _java_to_stderr():
    subprocess.run(["echo", "Deleted 6 files and directories in a total of 1 directories."])
    subprocess.run(["echo", "an output of Java"])
    other = java("WARNING: Using incubator modules", "26/11/27 01:02:03 WARN Utils: a name", "no room for a heap")
    print("own words", file=sys.stderr)
    other.communicate()
    later = subprocess.Popen(
        [sys.executable, "-c", "import sys; sys.stdin.read(); print('26/11/27 01:02:03 WARN later', file=sys.stderr)"],
        stdin=subprocess.PIPE,
    )
later.communicate()
for one in threading.enumerate():
    if one.name == "what Spark prints":
        one.join()
print("the end", file=sys.stderr)
"""


@pytest.mark.parametrize("verbose", [False, True])
def test_of_what_is_printed_at_the_start_only_the_usual_is_left_out(verbose: bool) -> None:
    """And what is printed later comes out, whatever it is."""
    command = [sys.executable, "-c", _STARTS, *(["-v"] if verbose else [])]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=True)
    said = done.stderr.splitlines()
    assert done.stdout == ""
    usual = {"WARNING: Using incubator modules", "26/11/27 01:02:03 WARN Utils: a name"}
    usual |= {"Deleted 6 files and directories in a total of 1 directories."}
    others = {"own words", "an output of Java", "no room for a heap", "26/11/27 01:02:03 WARN later", "the end"}
    assert others == set(said) - usual
    assert usual <= set(said) if verbose else usual.isdisjoint(said)


def test_messages_of_another_protocol_leave_no_state_behind(tmp_path: Path) -> None:
    path = written(tmp_path, source=f"{{protocol: craft, files: {CAPTURE}}}")
    done = ran(path, "--once")
    assert (done.returncode, done.stdout) == (2, "")
    assert "messages are canal-json, and craft was asked for: name canal-json as protocol" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "state").exists()


def test_files_that_have_no_messages_are_refused(spark: SparkSession, tmp_path: Path) -> None:
    """A line that is none among others is a message that cannot be read, and not none at all."""
    lines = gzip.decompress(CAPTURE.read_bytes()).decode().splitlines()[:3]
    none = tmp_path / "none.jsonl"
    none.write_text('source: {}\n\n{"payload": "e30="}\n[1]\n')
    of = read_sync_file(str(written(tmp_path, source=f"{{protocol: canal-json, files: {none}}}")))
    says = "none.jsonl has no messages: a line is a JSON object with value and key in base64, .* begins with source: {}"
    with pytest.raises(CommandError, match=says):
        check_lines(spark, of)
    none.write_text("\n".join(['{"payload": "e30="}', *lines, "", "half a li"]))
    check_lines(spark, of)
    found = [(bytes(row.value or b""), row.offset) for row in messages(of)(spark).collect()]
    assert [value for value, _ in found][::4] == [b'{"payload": "e30="}', b"half a li"]
    assert [offset for _, offset in found] == [None, *(json.loads(one)["offset"] for one in lines), None]
    folder = tmp_path / "more"
    folder.mkdir()
    of = read_sync_file(str(written(tmp_path, source=f"{{protocol: canal-json, files: {folder}}}")))
    check_lines(spark, of)
    assert messages(of)(spark).isStreaming
    assert messages(of)(spark).columns == ["value", "key", "topic", "partition", "offset", "timestamp"]


def test_what_spark_cannot_do_is_a_sentence(spark: SparkSession, tmp_path: Path) -> None:
    half = tmp_path / "half.jsonl.gz"
    half.write_bytes(CAPTURE.read_bytes()[:3000])
    of = read_sync_file(str(written(tmp_path, source=f"{{protocol: canal-json, files: {half}}}")))
    says = "Spark cannot go on: a packed file ends too early: it is half a file, or still written; what was done counts"
    with pytest.raises(CommandError, match=says), told():
        messages(of)(spark).collect()
    with (
        pytest.raises(CommandError, match="Spark cannot go on: the session does not know the catalog: set spark"),
        told(),
    ):
        spark.sql("select * from no_catalog.some.other.name")
    with pytest.raises(CommandError, match=r"Spark cannot go on: .*DIVIDE_BY_ZERO"), told():
        spark.sql("select 1 / 0").collect()
