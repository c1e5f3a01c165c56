"""Files that comments, docstrings and pages name are there."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SUFFIXES = "py|pxd|pyi|j2|md|yaml|schema\\.json|toml|diff"
NAMED = re.compile(rf"(?<![\w/.<{{*$@-])((?:[\w.-]+/)*[\w-]+(?:\.[\w-]+)*\.(?:{SUFFIXES}))(?![\w(/*-]|\.\w)")
"""A file's name in a text: with folders or without, never an address, a pattern or a placeholder."""
MADE = ("build/", "out/", "dist/", "runtime/tidewire/runtime/_compiled/")
"""Folders of what is made here and not kept."""
NOT_OURS = {
    "spark/tidewire/spark/kernels/variant.py": {"VariantEncoding.md"},  # apache/parquet-format
    "spec/README.md": {"spec/example.yaml"},
    "runtime/tidewire/runtime/switch.py": {"tidewire/runtime/arrow/columns.pxd"},  # a name in the package
    # a toy that the test writes, and examples of what is refused
    "tests/test_packaging.py": {f"generated/tidewire/toy/reader.{kind}" for kind in ("py", "pxd")}
    | {f"runtime/tidewire/runtime/counter.{kind}" for kind in ("py", "pxd")}
    | {f"spark/tidewire/spark/kernels/doubling.{kind}" for kind in ("py", "pxd")},
    "tests/test_spec_problems.py": {"x/a.yaml"},
    "docs/clusters.md": {"job.py"},  # the user's own
    "docs/live-tables-demo.md": {"iceberg.yaml", "delta.yaml"},  # the demo writes them
    "tests/bad_specs.py": {"wrong.yaml", "shared/events.yaml"},
}
"""What a file may name that is not in the repository, and why."""


def files() -> list[str]:
    """The files of the repository, those that are not committed yet too."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return sorted(name for name in done.stdout.splitlines() if (ROOT / name).is_file())


def reads_like_text(name: str) -> bool:
    """Whether a file is prose or code with comments, and of ours: recordings, bad specs and tests make up names."""
    return name == "Makefile" or (
        name.endswith((".py", ".pxd", ".j2", ".md", ".toml", ".yaml", ".go"))
        and not name.startswith(("tests/recorded/", "tests/golden/", "tests/spec_bad/", "tests/test_citations.py"))
    )


def prose(name: str, text: str) -> list[tuple[int, str]]:
    """What people read of a file, by line: of code the comments and docstrings, of all else everything."""
    lines = list(enumerate(text.splitlines(), 1))
    if name.endswith((".py", ".pxd")):
        inside = False
        found = []
        for number, line in lines:
            marks = line.count('"""')
            if inside or marks:
                found.append((number, line))
            elif "#" in line:
                found.append((number, line.partition("#")[2]))
            inside ^= marks % 2 == 1
        return found
    if name.endswith(".go"):
        return [(number, line.partition("//")[2]) for number, line in lines if "//" in line and "https://" not in line]
    return lines


def missing(name: str, text: str, known: list[str]) -> list[str]:
    """The files that a text names and that are nowhere, with their lines."""
    found = []
    for number, line in prose(name, text):
        for place in NAMED.findall(line):
            cited = re.sub(r"^(?:\.\./)+", "", place)
            there = any(one == cited or one.endswith(f"/{cited}") for one in known)
            ticdc = re.search(r"\b(?:pkg|cdc)/[\w/]+\.go\b|pingcap/", line)
            pattern = re.search(r"\b[A-Z]+\.(?!md)", cited)  # spec/PROTOCOL.yaml
            if not (there or ticdc or pattern or cited.startswith(MADE) or cited in NOT_OURS.get(name, ())):
                found.append(f"{name}:{number}: {cited}")
    return found


def test_files_that_are_named_are_there() -> None:
    known = files()
    assert "spec/craft.yaml" in known
    found = []
    for name in known:
        if reads_like_text(name):
            found += missing(name, (ROOT / name).read_text(encoding="utf-8"), known)
    assert found == []


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("a.j2", "{# as in plan/operations.py #}", ["a.j2:1: plan/operations.py"]),
        ("a.py", '"""See nowhere.md."""\nx = "made.py"  # gone.yaml', ["a.py:1: nowhere.md", "a.py:2: gone.yaml"]),
        ("a.md", "`spec/craft.yaml` and craft.yaml, spec/*.yaml, https://x.org/a.md", []),
        ("a.md", "[page](spec/craft.yml.md)", ["a.md:1: spec/craft.yml.md"]),
    ],
)
def test_a_file_that_is_not_there_is_found(name: str, text: str, found: list[str]) -> None:
    assert missing(name, text, ["spec/craft.yaml"]) == found
