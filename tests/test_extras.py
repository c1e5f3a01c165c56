"""What the extras of the package ask for."""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_the_extra_for_spark_has_the_versions_that_were_run_together() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    exact = [requirement for requirement in extras["spark"] if "==" in requirement]
    lock = (ROOT / "requirements-dev.lock").read_text().splitlines()
    assert {requirement.partition("==")[0] for requirement in exact} == {"pyspark", "pandas", "pyarrow"}
    assert [requirement for requirement in exact if requirement not in lock] == []


def test_the_extras_for_spark_have_what_the_file_of_sync_is_read_with() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    reading = {one for one in extras["generate"] if not one.startswith("jinja2")}
    assert all(reading <= set(extras[name]) for name in ("spark", "spark-any"))
