"""Every snippet of README.md, run in the order in which it stands there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from readme.blocks import blocks, difference, transcript

from tidewire.generator.check import load_spec
from tidewire.generator.printing import print_files
from tidewire.generator.problems import report

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
PYTHON = [block for block in blocks(README) if block.language == "python"]
MARK = "---- README.md:"
WIDTH = "120"
"""Columns of the terminal that the page shows."""
PRELUDE = """
from readme.kafka import WithCapturedTopic
from tidewire.spark import local_session
spark = WithCapturedTopic(local_session(), "topic")
"""


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What snippets read, in a folder where they may write."""
    folder = tmp_path_factory.mktemp("repository")
    for name in ("examples", "tests"):
        (folder / name).symlink_to(ROOT / name)
    for name in ("out", "topic"):
        (folder / name).mkdir()
    shutil.copy(ROOT / "examples/craft_topic.jsonl.gz", folder / "topic")
    return folder


def run(command: list[str], folder: Path, output: int = subprocess.STDOUT) -> subprocess.CompletedProcess[str]:
    """A command as somebody runs it who has the environment's programs at hand."""
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "tests"),
        "COLUMNS": WIDTH,
        "TERM": "dumb",
    }
    return subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=output,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.fixture(scope="module")
def printed(repository: Path) -> dict[int, str]:
    """What each snippet of Python prints, by its line; they run one after the other in one process."""
    script = PRELUDE
    for block in PYTHON:
        # An object store's address becomes one in memory: there is none here.
        script += f"print({MARK + str(block.line)!r})\n" + block.text.replace("s3://", "memory://")
    (repository / "snippets.py").write_text(script)
    done = run([sys.executable, "snippets.py"], repository, subprocess.PIPE)
    assert done.returncode == 0, done.stderr
    parts = done.stdout.split(MARK)[1:]
    return {int(line): text for line, _, text in (part.partition("\n") for part in parts)}


def test_python_prints_what_the_page_shows(printed: dict[int, str], repository: Path) -> None:
    assert len(PYTHON) >= 5
    assert list((repository / "out/k_comp").glob("*.parquet"))
    waiting: int | None = None
    for block in blocks(README):
        if waiting is not None:
            assert block.follows, f"README.md:{waiting}: it prints, and the page does not show it: {printed[waiting]}"
            problem = difference(block.text, printed[waiting])
            assert problem is None, f"README.md:{block.line}: {problem}"
        waiting = block.line if block.language == "python" and printed[block.line].strip() else None


def test_commands_print_what_the_page_shows(repository: Path) -> None:
    ran = 0
    for block in blocks(README):
        for step in transcript(block):
            done = run(["bash", "-o", "pipefail", "-c", step.command], repository)
            problem = difference(step.shown, done.stdout)
            assert problem is None, f"README.md:{step.line}: {step.command}: {problem}"
            assert done.returncode == 0, f"README.md:{step.line}: {step.command}: {done.stdout}"
            ran += 1
    assert ran >= 10


def test_a_field_is_added_as_the_page_says(tmp_path: Path) -> None:
    (added,) = (block.text for block in blocks(README) if block.language == "yaml")
    (shown,) = (block.text for block in blocks(README) if block.language == "diff")
    (wrong,) = (block.text for block in blocks(README) if block.text.startswith("spec/craft.yaml:"))
    spec = tmp_path / "spec"
    shutil.copytree(ROOT / "spec", spec)
    craft = spec / "craft.yaml"
    lines = craft.read_text().splitlines(keepends=True)
    header = next(n for n, line in enumerate(lines) if line.strip().startswith("header_columns:"))
    place = next(n for n in range(header, len(lines)) if "{id: table," in lines[n]) + 1
    before, _ = load_spec(spec, None)
    craft.write_text("".join([*lines[:place], added.replace("event: table_id", "event: tabel_id"), *lines[place:]]))
    _, problems = load_spec(spec, None)
    assert wrong.strip() in report(problems)
    craft.write_text("".join([*lines[:place], added, *lines[place:]]))
    after, problems = load_spec(spec, None)
    assert before is not None
    assert after is not None, report(problems)
    old, new = print_files(before), print_files(after)
    known = {line for text in old.values() for line in text.splitlines()}
    printed = {line for text in new.values() for line in text.splitlines()}
    added_lines = [line[1:] for line in shown.splitlines() if line.startswith("+")]
    assert [line for line in added_lines if line not in printed] == []
    assert any(line not in known for line in added_lines)


def test_targets_of_make_are_there() -> None:
    named = re.findall(r"^make ([\w-]+)", README.read_text(encoding="utf-8"), re.M)
    known = re.findall(r"^([\w-]+):.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    assert {"run", "test"} <= set(named) <= set(known)


def test_every_folder_of_the_picture_is_there() -> None:
    (house,) = (block for block in blocks(README) if block.text.startswith("spec/ "))
    folders = re.findall(r"^(\w+)/ ", house.text, re.M)
    assert len(folders) >= 9
    assert [name for name in folders if not (ROOT / name).is_dir()] == []
