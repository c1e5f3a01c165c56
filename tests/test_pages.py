"""What CONTRIBUTING.md, STABILITY.md and CHANGELOG.md say is so: commands run, names are there, files are packed."""

from __future__ import annotations

import importlib
import importlib.util
import re
import shlex
import subprocess
from pathlib import Path

import pytest

import tidewire

ROOT = Path(__file__).resolve().parent.parent
PAGES = ("CONTRIBUTING.md", "STABILITY.md", "CHANGELOG.md")


def page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def commands() -> list[str]:
    """The commands of the table."""
    table = page("CONTRIBUTING.md").partition("## Run things")[2]
    return re.findall(r"^\| [^|]+ \| `([^`]+)` \|", table, flags=re.MULTILINE)


def test_every_target_that_pages_name_is_one() -> None:
    targets = set(re.findall(r"^([a-z-]+):", page("Makefile"), flags=re.MULTILINE))
    named = {word for name in PAGES for word in re.findall(r"`make ([a-z-]+)", page(name))}
    assert {"check", "generate", "oracle"} <= named
    assert named <= targets


@pytest.mark.parametrize("command", commands())
def test_what_commands_name_is_there(command: str) -> None:
    """Files and folders, modules, targets: what they do others test."""
    for word in shlex.split(command):
        if word.startswith(("tests/", "benchmarks/")) or word.endswith(".md"):
            assert (ROOT / word).exists(), word
    if "python -m" in command:
        module = command.partition("python -m ")[2].split()[0]
        assert importlib.util.find_spec(module) is not None


def test_make_help_lists_the_targets() -> None:
    done = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "make check" in done.stdout


def test_names_that_are_stable_are_there() -> None:
    text = page("STABILITY.md").partition("**Stable")[2].partition("**What changes")[0]
    modules = set(re.findall(r"`(tidewire(?:\.[a-z_]+)*)`", text))
    assert {"tidewire.craft", "tidewire.canal_json", "tidewire.events", "tidewire.runtime.errors"} <= modules
    protocols = sorted(path.parent.name for path in (ROOT / "generated").glob("*/encoder.py"))
    assert modules >= {f"tidewire.{name}" for name in protocols}
    for name in modules:
        importlib.import_module(name)
    for line in text.splitlines():
        if line.startswith("- `tidewire`"):
            assert [name for name in re.findall(r"`(\w+)`", line)[1:] if not hasattr(tidewire, name)] == []
    for name in protocols:
        codec = importlib.import_module(f"tidewire.{name}")
        for word in ("decode", "decode_batch", "encode", "dissect", "Options", "Decoder", "Encoder"):
            assert word in codec.__all__
            assert f"`{word}`" in page("STABILITY.md")


def test_the_version_is_said() -> None:
    declared = re.search(r'^version = "(.+)"$', page("pyproject.toml"), flags=re.MULTILINE)
    assert declared is not None
    assert tidewire.__version__ == declared[1]
    assert re.findall(r"^## \[(.+?)\]", page("CHANGELOG.md"), flags=re.MULTILINE)[0] in ("Unreleased", declared[1])


def test_pages_are_packed_and_linked() -> None:
    packed = page("MANIFEST.in").splitlines()[0].split()
    for name in PAGES:
        assert name in packed
        assert f"({name})" in page("README.md")
