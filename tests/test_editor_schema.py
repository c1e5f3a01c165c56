"""The JSON Schema for editors says by itself, with no file beside it, what the generator says of a spec's shape."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from bad_specs import BadSpec, bad_specs
from jsonschema import Draft202012Validator

from tidewire.generator.__main__ import main
from tidewire.generator.bundle import FILE, LINE
from tidewire.generator.load import Source, load

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = ROOT / "spec" / FILE
FOLDERS = ("spec", "tests/spec_every_word", "tests/spec_bad/base")
SPECS = sorted(path for folder in FOLDERS for path in ROOT.glob(f"{folder}/*.yaml"))
MISSHAPEN = [bad for bad in bad_specs() if bad.refused_by == "shape"]
SHAPELY = [bad for bad in bad_specs() if bad.refused_by not in ("shape", "yaml")]


@cache
def validator() -> Any:
    """From the file alone, with jsonschema as it is: it would raise at a reference that leads elsewhere."""
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def plain(name: str, text: str) -> Any:
    """A spec's content."""
    node, problems = load(Source(name, text.encode()))
    assert node is not None, problems
    return node.plain()


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_right_specs_are_accepted(path: Path) -> None:
    found = [error.message for error in validator().iter_errors(plain(path.name, path.read_text(encoding="utf-8")))]
    assert found == []


@pytest.mark.parametrize("bad", MISSHAPEN, ids=lambda bad: bad.id)
def test_specs_of_a_wrong_shape_are_refused(bad: BadSpec) -> None:
    assert not validator().is_valid(plain(bad.file, bad.text))


@pytest.mark.parametrize("bad", SHAPELY, ids=lambda bad: bad.id)
def test_what_passes_refuse_has_a_right_shape(bad: BadSpec) -> None:
    """An editor underlines nothing that the generator's report would not have as a problem of shape."""
    assert validator().is_valid(plain(bad.file, bad.text))


@pytest.mark.parametrize("content", [{}, [], {"language": 2}, {"root": {}}, {"protocol": "x"}, None, "text"])
def test_what_is_no_spec_is_refused(content: Any) -> None:
    assert not validator().is_valid(content)


def test_a_newline_at_the_end_of_a_name_is_refused() -> None:
    content = plain("small.yaml", (ROOT / "tests/spec_bad/base/json.yaml").read_text(encoding="utf-8"))
    assert not validator().is_valid({**content, "protocol": content["protocol"] + "\n"})


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_spec_names_the_schema(path: Path) -> None:
    """In a comment of its own, the path from the spec's folder, as VS Code's and neovim's YAML server resolves it."""
    first = path.read_text(encoding="utf-8").splitlines()[0]
    assert first.startswith(LINE)
    assert (path.parent / first.removeprefix(LINE)).resolve() == SCHEMA


def test_every_reference_leads_into_the_file() -> None:
    references = re.findall(r'"\$(?:ref|dynamicRef|id)": "([^"]*)"', SCHEMA.read_text(encoding="utf-8"))
    assert references
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    for reference in references:
        part = schema
        assert reference.startswith("#/")
        for step in reference.removeprefix("#/").split("/"):
            part = part[step]


def test_check_finds_an_old_schema(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("tidewire.generator.__main__.bundle", lambda: "{}\n")
    assert main(["--check"]) == 1
    shown = capsys.readouterr()
    assert f"+++ spec/{FILE}" in shown.out
    assert f"{FILE} is not what spec/ says: run make generate" in shown.err
