"""A change of a spec changes what its codec writes and which options it has."""

from __future__ import annotations

from pathlib import Path

import pytest

from tidewire.generator.__main__ import main

from .test_printed_codecs import run
from .test_printing import SPEC

pytestmark = pytest.mark.whole


def changed(tmp_path: Path, file: str, old: str, new: str) -> Path:
    """What is printed when one fact of the specs is another."""
    spec, out = tmp_path / "spec", tmp_path / "printed"
    spec.mkdir()
    for path in SPEC.glob("*.yaml"):
        text = path.read_text(encoding="utf-8")
        if path.name == file:
            assert text.count(old) == 1
            text = text.replace(old, new)
        (spec / path.name).write_text(text, encoding="utf-8")
    assert main(["--spec", str(spec), "--out", str(out)]) == 0
    return out


def test_a_constant_changed_in_yaml_changes_the_bytes(tmp_path: Path) -> None:
    out = changed(tmp_path, "craft.yaml", "const: 1,", "const: 2,")
    assert run(out, "watermark", "craft") == "020903010101020a09010005"


def test_a_code_changed_in_yaml_changes_the_bytes(tmp_path: Path) -> None:
    out = changed(tmp_path, "craft.yaml", "resolved: 3}", "resolved: 9}")
    assert run(out, "watermark", "craft")[4:6] == "09"


def test_a_default_changed_in_yaml_changes_the_options(tmp_path: Path) -> None:
    old = "max-batch-size: {type: int, default: "
    out = changed(tmp_path, "craft.yaml", f"{old}16", f"{old}7")
    assert run(out, "options", "craft")["max_batch_size"] == 7


def test_an_option_added_in_yaml_is_an_option(tmp_path: Path) -> None:
    line = "  max-batch-size: {type: int"
    keep = "{kind: insert, image: new, flagged: primary_key}"
    more = f"  only-the-key: {{type: bool, default: true, about: A test., keep: {keep}}}\n"
    out = changed(tmp_path, "craft.yaml", line, more + line)
    assert run(out, "options", "craft")["only_the_key"] is True
