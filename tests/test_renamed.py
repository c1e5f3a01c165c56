"""The generator knows fields of events and options by what they mean: another name changes the name that is printed,
and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tidewire.generator import facts
from tidewire.generator.check import load_spec
from tidewire.generator.printing import print_files
from tidewire.runtime import tso

SPEC = Path(__file__).resolve().parent.parent / "spec"
FIELDS = [
    "commit_ts",
    "commit_ms",
    "sent_ms",
    "table_id",
    "partition_id",
    "start_ts",
    "row_key",
    "handle_key_only",
    "claim_check",
    "ddl_type",
    "ddl_class",
    "query",
    "table_after",
    "table_version",
    "types_from",
    "time_zone",
    "checksum",
    "checksum_before",
    "checksum_version",
    "checksum_corrupted",
]
OPTIONS = ["terminator", "claim-check-storage-uri", "max-message-bytes", "large-message-handle-option"]
ALIKE = {
    "id: version, type: integer, event": "id: number, name: version, type: integer, event",
    "id: corrupted,": "id: differs, name: corrupted,",
    "{version: int, corrupted: boolean,": "{number: int, differs: boolean,",
}
"""Members of Simple whose constants would have the names of those of fields, which the printed code tells apart for as
long as they do.
"""


def printed(directory: Path) -> dict[str, str]:
    spec, problems = load_spec(directory)
    assert spec is not None, problems
    return print_files(spec)


@pytest.fixture(scope="module")
def specs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The specs, without what is alike."""
    directory = tmp_path_factory.mktemp("specs") / "spec"
    directory.mkdir()
    for path in SPEC.glob("*.yaml"):
        text = path.read_text(encoding="utf-8")
        for old, new in ALIKE.items():
            assert text.count(old) == (path.stem == "simple")
            text = text.replace(old, new)
        (directory / path.name).write_text(text, encoding="utf-8")
    return directory


def other(name: str) -> str:
    """Another name, as long as the old one, so that lines are broken where they were."""
    return f"z{name[1:]}"


def renamed(names: list[str], directory: Path, found: dict[str, str]) -> dict[str, str]:
    """What is printed, with the old names again."""
    files = {path: text.replace(f"{directory.name}/", "spec/") for path, text in found.items()}
    assert [n for n in names if not any(other(n).replace("-", "_") in text for text in files.values())] == []
    for name in names:
        for old in (name, name.replace("-", "_"), name.replace("-", "_").upper()):
            new = f"{'Z' if old.isupper() else 'z'}{old[1:]}"
            files = {path: text.replace(new, old) for path, text in files.items()}
    return files


def with_other_field(field: str, stem: str, text: str) -> str:
    """The text of a spec in which a field of events has another name."""
    if stem == "events":
        text = re.sub(rf"^  {field}: ", f"  {other(field)}: ", text, flags=re.MULTILINE)
        return re.sub(r"\b(fields|needs): \[.*?\]", lambda found: re.sub(rf"\b{field}\b", other(field), found[0]), text)
    words = "event|mark|names|instead|by|located|utc|known_by"
    text = re.sub(rf"\b({words}): {field}\b", rf"\1: {other(field)}", text)
    for words in (r"\bby: \[.*?\]", r"^  by: \{.*?\}", r"\balso: \[.*?\]", r"\bconst: \{.*?\}"):
        text = re.sub(words, lambda found: re.sub(rf"\b{field}\b", other(field), found[0]), text, flags=re.MULTILINE)
    return text


def with_other_option(option: str, stem: str, text: str) -> str:
    """The text of a spec in which an option has another name."""
    if stem in ("events", "mysql_types", "primitives"):
        return text
    text = re.sub(rf"^  {option}:", f"  {other(option)}:", text, flags=re.MULTILINE)
    return re.sub(rf"(?<=[ \[]){option}(?=[,\]}}\n])", other(option), text)


@pytest.mark.parametrize(("names", "with_other"), [(FIELDS, with_other_field), (OPTIONS, with_other_option)])
def test_what_has_another_name_is_printed_under_it(
    names: list[str], with_other: Callable[[str, str, str], str], specs: Path, tmp_path: Path
) -> None:
    """Fields and options, all at once: a line that knows one of them by its name differs."""
    for path in specs.glob("*.yaml"):
        text = path.read_text(encoding="utf-8")
        for name in names:
            text = with_other(name, path.stem, text)
        (tmp_path / path.name).write_text(text, encoding="utf-8")
    expected = printed(specs)
    found = renamed(names, tmp_path, printed(tmp_path))
    assert found.keys() == expected.keys()
    for name, text in found.items():
        assert text.splitlines() == expected[name].splitlines(), name


def test_the_runtime_and_printed_code_shift_a_tso_alike() -> None:
    assert tso.TSO_SHIFT == facts.TSO_SHIFT


def test_events_without_a_meaning_are_printed_without_it(tmp_path: Path) -> None:
    """Milliseconds and sending times are nothing that events must have."""
    for path in SPEC.glob("*.yaml"):
        text = path.read_text(encoding="utf-8")
        text = text.replace("event: sent_ms, may_miss: true", "const: 0").replace(
            "event: sent_ms, about", "const: 0, about"
        )
        text = re.sub(r"^  sent_ms: .*\n", "", text, flags=re.MULTILINE)
        text = text.replace(" sent_ms,", "").replace(", sent_ms]", "]")
        (tmp_path / path.name).write_text(text, encoding="utf-8")
    assert not any("sent_ms:" in text for name, text in printed(tmp_path).items() if name == "events.py")
