"""The generator's output is deterministic, as expected, and contains no other files."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tidewire.generator.__main__ import main
from tidewire.generator.check import load_spec
from tidewire.generator.printing import print_files

ROOT = Path(__file__).resolve().parents[2]
SPEC = ROOT / "spec"
WORDS = ROOT / "tests" / "spec_every_word"
GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture(scope="module")
def printed() -> dict[str, str]:
    """What the protocols that use every word print."""
    spec, problems = load_spec(WORDS, SPEC)
    assert spec is not None, problems
    return print_files(spec)


def test_what_every_word_prints_is_expected(printed: dict[str, str]) -> None:
    """The codecs of both synthetic protocols, whole. After a wanted change: python -m tests.printing."""
    expected = {path.relative_to(GOLDEN).as_posix().removesuffix(".golden") for path in GOLDEN.rglob("*.golden")}
    codecs = {name for name in printed if "/" in name}
    assert codecs == expected
    for name in sorted(codecs):
        assert printed[name] == (GOLDEN / f"{name}.golden").read_text(encoding="utf-8"), name


def test_printing_twice_prints_the_same(printed: dict[str, str]) -> None:
    spec, _ = load_spec(WORDS, SPEC)
    assert spec is not None
    assert print_files(spec) == printed


def test_printed_code_has_no_path_and_no_clock(printed: dict[str, str]) -> None:
    for name, text in printed.items():
        assert str(ROOT) not in text, name
        assert "tests/spec_every_word/" not in text, name


def test_generated_is_what_spec_says() -> None:
    """The same as `make check` does: a fact changed in YAML alone is found."""
    assert main(["--check"]) == 0


def test_check_finds_changed_missing_and_stray_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "generated"
    assert main(["--out", str(out)]) == 0
    assert main(["--out", str(out), "--check"]) == 0
    decoder = out / "craft" / "decoder.py"
    decoder.write_text(decoder.read_text(encoding="utf-8").replace("read_message", "read_massage"), encoding="utf-8")
    (out / "events.py").unlink()
    (out / "craft" / "stray.py").write_text("left = 1\n", encoding="utf-8")
    capsys.readouterr()
    assert main(["--out", str(out), "--check"]) == 1
    shown = capsys.readouterr()
    assert "-    def read_massage(" in shown.out
    assert "+    def read_message(" in shown.out
    assert "--- /dev/null\n+++ generated/events.py" in shown.out
    assert "--- generated/craft/stray.py\n+++ /dev/null" in shown.out
    assert "run make generate" in shown.err


def test_an_empty_file_that_is_missing_is_found(tmp_path: Path) -> None:
    out = tmp_path / "generated"
    main(["--out", str(out)])
    (out / "py.typed").unlink()
    assert main(["--out", str(out), "--check"]) == 1


def test_writing_removes_what_no_spec_prints(tmp_path: Path) -> None:
    out = tmp_path / "generated"
    stray = out / "old_protocol" / "decoder.py"
    stray.parent.mkdir(parents=True)
    stray.write_text("left = 1\n", encoding="utf-8")
    assert main(["--out", str(out)]) == 0
    assert not stray.parent.exists()


def test_writing_leaves_files_that_did_not_change(tmp_path: Path) -> None:
    out = tmp_path / "generated"
    main(["--out", str(out)])
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*") if path.is_file()}
    main(["--out", str(out)])
    assert {path: path.stat().st_mtime_ns for path in out.rglob("*") if path.is_file()} == before


def test_a_wrong_spec_is_a_report_and_leaves_the_directory(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = tmp_path / "spec"
    wrong.mkdir()
    for path in SPEC.glob("*.yaml"):
        text = path.read_text(encoding="utf-8")
        (wrong / path.name).write_text(text.replace("part: row_body", "part: row_bdy"), encoding="utf-8")
    out = tmp_path / "generated"
    assert main(["--spec", str(wrong), "--out", str(out)]) == 1
    shown = capsys.readouterr().err
    assert 'unknown part "row_bdy". Did you mean "row_body"?' in shown
    assert "Traceback" not in shown
    assert not out.exists()


def test_the_command_runs_without_the_package_it_prints() -> None:
    """`make generate` has to work when generated/ is gone or broken."""
    code = f"""
import importlib.util, sys, types
package = types.ModuleType("tidewire")
package.__path__ = []
sys.modules["tidewire"] = package
folder = {str(ROOT / "generator/tidewire/generator")!r}
spec = importlib.util.spec_from_file_location(
    "tidewire.generator", folder + "/__init__.py", submodule_search_locations=[folder]
)
module = importlib.util.module_from_spec(spec)
sys.modules["tidewire.generator"] = module
spec.loader.exec_module(module)
from tidewire.generator.__main__ import main
sys.exit(main(["--check"]))
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
