"""What TiCDC wrote for the scenarios of our own (tests/scenarios, recorded by `make record`) agrees with our codecs."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from archives import unpacked

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def recorded() -> Path:
    """The directory with the unpacked recordings."""
    return unpacked(HERE / "recorded" / "craft.tar.xz")


def test_every_scenario_is_recorded(recorded: Path) -> None:
    scenarios = {path.stem.split("-", 1)[1] for path in (HERE / "scenarios").glob("*.yaml")}
    assert scenarios
    assert {path.parent.name for path in recorded.rglob("events.jsonl")} == scenarios


def conform(directory: Path) -> subprocess.CompletedProcess[str]:
    """What `tidewire conform` says of the recordings in a directory."""
    command = [sys.executable, "-m", "tidewire.cli", "conform", str(directory), "--protocol", "craft", "--json"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.codec
def test_recorded_scenarios_conform(recorded: Path) -> None:
    done = conform(recorded)
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)


@pytest.mark.parametrize(("scenario", "kind"), [("decimals-65", "text"), ("vectors", "vector"), ("json", "text")])
def test_a_wrong_value_is_not_excused(recorded: Path, tmp_path: Path, scenario: str, kind: str) -> None:
    """Only FLOAT is destroyed by the producer; a name of another difference excuses no recording."""
    shutil.copytree(recorded / "tiflow" / scenario, tmp_path / "tiflow" / scenario)
    truth = tmp_path / "tiflow" / scenario / "events.jsonl"
    events = [json.loads(line) for line in truth.read_text(encoding="utf-8").splitlines()]
    values = (value for event in events for value in event["new"] or () if value and kind in value)
    value = next(one for one in values if any(map(str.isdigit, one[kind])))
    digit = next(letter for letter in value[kind] if letter.isdigit())
    value[kind] = value[kind].replace(digit, str(9 - int(digit)), 1)
    truth.write_text("".join(json.dumps(event) + "\n" for event in events), encoding="utf-8")
    assert conform(tmp_path).returncode == 1
