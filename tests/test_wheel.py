"""`make wheel`: what it makes is installed into an environment without a compiler or sources, and decodes there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, distribution, distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tidewire.spark.java import WHEEL

pytestmark = pytest.mark.whole

ROOT = Path(__file__).resolve().parent.parent
WATERMARK = "018180a0dbfde1fbc30603010101021a19010005"
LOOK = """
import json, tidewire, tidewire.runtime
from tidewire import craft
(event,) = craft.decode(bytes.fromhex(%r))
print(json.dumps([tidewire.__file__, tidewire.runtime.compiled_reason, event.kind, event.commit_ts]))
"""


def run(*command: str | Path, folder: Path) -> str:
    """What a command prints that knows nothing of this checkout."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("TIDEWIRE_", "PYTHONPATH"))}
    done = subprocess.run(command, cwd=folder, env=inherited, capture_output=True, text=True, timeout=1200, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def needed(requirements: Iterable[str], extras: Iterable[str], found: set[Path]) -> set[Path]:
    """What has to be lent for packages that are required, and all that they need: files and folders."""
    for one in map(Requirement, requirements):
        if one.marker is not None and not any(one.marker.evaluate({"extra": extra}) for extra in extras):
            continue
        try:
            other = distribution(one.name)
        except PackageNotFoundError:  # of another system
            continue
        own = {Path(str(other.locate_file(file.parts[0]))) for file in other.files or () if file.parts[0] != ".."}
        if not own <= found:
            found |= own
            needed(other.requires or (), {"", *one.extras}, found)
    return found


def test_a_wheel_is_installed_into_an_empty_environment_and_decodes(tmp_path: Path) -> None:
    """What it says that it depends on, with Spark, is lent, so that nothing is fetched; of Tidewire there is the wheel
    alone.
    """
    shown = run("make", "--no-print-directory", "wheel", f"WHEEL_DIR={tmp_path / 'dist'}", folder=ROOT)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    assert shown.splitlines()[-1] == str(wheel)
    pure = wheel.name.endswith("-none-any.whl")
    assert pure or f"-cp{sys.version_info.major}{sys.version_info.minor}-" in wheel.name
    if not pure and sys.platform == "linux":
        assert "manylinux" in wheel.name
    venv.create(tmp_path / "empty", symlinks=True)
    python = tmp_path / "empty" / "bin" / "python"
    run(
        *(sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-index", "--no-deps", wheel),
        folder=tmp_path,
    )
    (packages,) = (tmp_path / "empty" / "lib").glob("python*/site-packages")
    (installed,) = distributions(name="tidewire", path=[str(packages)])
    for one in needed([*(installed.requires or ()), WHEEL], ["", "spark"], set()):
        if one.name != "__pycache__":
            (packages / one.name).symlink_to(one)
    file, reason, kind, commit_ts = json.loads(run(python, "-c", LOOK % WATERMARK, folder=tmp_path))
    assert Path(file) == packages / "tidewire" / "__init__.py"
    assert reason == ("pure: not built" if pure else "compiled")
    assert (kind, commit_ts) == ("watermark", 470607537468080129)
    program = tmp_path / "empty" / "bin" / "tidewire"
    assert '"op":"watermark"' in run(program, "decode", "craft", "--hex", WATERMARK, folder=tmp_path)
    plan = run(program, "sync", "plan", "examples/live_tables.yaml", folder=ROOT)
    assert "test.k_comp" in plan
