"""What CONTRIBUTING.md, STABILITY.md and CHANGELOG.md say is so: commands run, names are there, files are packed."""

from __future__ import annotations

import importlib
import importlib.util
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

import tidewire
import tidewire.schemas
from tidewire.runtime.errors import TidewireError
from tidewire.spark.kernels.variant_reader import VariantError

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
    protocols = sorted(path.parent.name for path in (ROOT / "generated/tidewire").glob("*/encoder.py"))
    assert modules >= {f"tidewire.{name}" for name in protocols}
    for name in modules:
        importlib.import_module(name)
    for line in text.splitlines():
        if line.startswith("- `tidewire`"):
            assert [name for name in re.findall(r"`(\w+)`", line)[1:] if not hasattr(tidewire, name)] == []
        if re.match(r"- `tidewire\.(tables|mysql|schemas|messages\.registry)`", line):
            assert missing_names(line) == []
    for name in protocols:
        codec = importlib.import_module(f"tidewire.{name}")
        for word in ("decode", "decode_batch", "encode", "dissect", "Options", "Decoder", "Encoder"):
            assert word in codec.__all__
            assert f"`{word}`" in page("STABILITY.md")


def missing_names(line: str) -> list[str]:
    """The names of a list entry that are not where it says: those behind a module are its own, those before `of` that
    module's.
    """
    missing = []
    for part in line.removeprefix("- ").split("; "):
        head, of, behind = part.partition(" of `tidewire.")
        first, _, rest = head.partition("`: ")
        module, listed = (f"tidewire.{behind.partition('`')[0]}", head) if of else (first.removeprefix("`"), rest)
        names = re.findall(r"`(\w+)`", listed)
        assert names, part
        missing += [f"{module}.{name}" for name in names if not hasattr(importlib.import_module(module), name)]
    return missing


def all_below(kind: type[Any]) -> set[type[Any]]:
    direct = set(kind.__subclasses__())
    return direct.union(*map(all_below, direct))


def test_errors_and_warnings_that_are_stable_are_all_that_users_meet() -> None:
    folders = ("runtime", "messages", "reading", "spark")
    for source in (path for folder in folders for path in (ROOT / folder).rglob("*.py")):
        if re.search(r"^class \w+\(.*(Error|Warning)\b", source.read_text(encoding="utf-8"), flags=re.MULTILINE):
            parts = [part for part in source.relative_to(ROOT).with_suffix("").parts[1:] if part != "__init__"]
            importlib.import_module(".".join(parts))
    row = r"^\| (`[A-Z].+?`)(?:, of `\w+`)? \| `(tidewire[a-z_.]+)` \|$"
    rows = re.findall(row, page("STABILITY.md"), flags=re.MULTILINE)
    named = {
        getattr(importlib.import_module(module), name) for names, module in rows for name in re.findall(r"\w+", names)
    }
    assert {one for one in named if issubclass(one, Warning)} == {
        one for one in all_below(Warning) if one.__module__.startswith("tidewire.")
    }
    becomes_another_one = {VariantError}  # a MalformedError, or a reason
    raised = {one for one in all_below(TidewireError) if one.__module__.startswith("tidewire.")} - becomes_another_one
    assert {one for one in named if not issubclass(one, Warning)} == {TidewireError, *raised}


def test_values_of_types_from_are_named() -> None:
    (listed,) = re.findall(r"those of `types_from` \((.+?)\)", page("STABILITY.md"))
    about = tidewire.schemas.EVENTS["types_from"].metadata["comment"]
    assert [word for word in re.findall(r"\w+", listed) if not re.search(rf"\b{word},", about)] == []


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
