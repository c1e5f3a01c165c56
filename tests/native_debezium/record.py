"""`make record-debezium`: runs SQL scenarios in MariaDB and keeps what Debezium's MySQL connector makes of them.

    python -m tests.native_debezium.record [--scenario NAME]... [--keep FOLDER]

Scenarios are scenarios/*.yaml, option sets streams.yaml, the result recorded.tar.xz; `README.md` has the format.
Runs in an environment of its own and makes everything anew; with --scenario only those, the others stay as they are.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from archives import pack, unpack

from . import readme_tables
from . import server as mariadb
from .connector import Connector, ConnectorError, Form, java_version, start_java
from .lines import lines_of
from .server import Server, Session, SqlError
from .steps import BASE, Steps

Json = dict[str, Any]

HERE = Path(__file__).parent
ARCHIVE = HERE / "recorded.tar.xz"
DEBEZIUM = "3.6.3.Final"


def main() -> int:
    """Parses the arguments and records."""
    parser = argparse.ArgumentParser(prog="python -m tests.native_debezium.record")
    parser.add_argument("--scenario", action="append", help="only this scenario (repeatable)")
    parser.add_argument("--keep", type=Path, help="a folder for the work: logs, data directories, streams as files")
    given = parser.parse_args()
    work = given.keep or Path(tempfile.mkdtemp(prefix="record-debezium-"))
    work.mkdir(parents=True, exist_ok=True)
    try:
        return Recorder(work.resolve()).record(given.scenario)
    finally:
        if given.keep is None:
            shutil.rmtree(work, ignore_errors=True)


class Recorder:
    """Records scenarios into a folder and packs what it holds.

    Args:
        work: a folder.
    """

    def __init__(self, work: Path) -> None:
        self._work = work
        self._tree = work / "tree"
        described = yaml.safe_load((HERE / "streams.yaml").read_text("utf-8"))
        self._sets: dict[str, Json] = described["sets"]
        self._always: dict[str, str] = described["always"]
        start_java(work)
        self._form_options = {name: _form(options) for name, options in described["forms"].items()}
        self._forms = {name: Form(options) for name, options in self._form_options.items()}

    def record(self, names: list[str] | None) -> int:
        """Records the scenarios with these names, or all; how many failed."""
        data, start = self._work / "data", self._work / "start"
        for made in (data, start, self._tree, self._work / "runs", self._work / "running"):
            shutil.rmtree(made, ignore_errors=True)
        if names:
            unpack(ARCHIVE, self._tree)
        mariadb.make_data(data)
        with Server(data, self._work / "running"):
            Connector(start, {"snapshot.mode": "no_data", **self._always}, {}).snapshot()
        failed = 0
        for path in sorted((HERE / "scenarios").glob("*.yaml")):
            scenario = yaml.safe_load(path.read_text("utf-8"))
            if names and scenario["name"] not in names:
                continue
            try:
                print(self._scenario(data, start, scenario), flush=True)
            except (SqlError, ConnectorError, ValueError) as error:
                failed += 1
                print(f"{scenario['name']}: {error}", file=sys.stderr, flush=True)
        about = {"debezium": DEBEZIUM, "mariadb": mariadb.version(), "java": java_version()}
        self._tree.mkdir(exist_ok=True)
        (self._tree / "versions.json").write_text(json.dumps(about, indent=1) + "\n", "utf-8")
        if not failed:
            size = pack((p for p in self._tree.rglob("*") if p.is_file()), self._tree, ARCHIVE)
            print(f"{ARCHIVE.name}: {size:,} bytes")
            readme_tables.main()
        return failed

    def _scenario(self, data: Path, start: Path, scenario: Json) -> str:
        began = time.time()
        name = scenario["name"]
        runs = {
            option_set: Connector(
                self._work / "runs" / name / option_set,
                {"snapshot.mode": "initial", **self._always, **what.get("options", {})},
                {form: self._forms[form] for form in what["forms"]},
            )
            for option_set, what in self._sets.items()
            if name in what.get("scenarios", [name])
        }
        with Server(data, self._work / "running", scenario.get("server")) as server, Session(server) as session:
            steps = Steps(session)
            for step in scenario["steps"]:
                steps.run(step)
                if "snapshot" in step:
                    for option_set, run in runs.items():
                        if self._sets[option_set].get("snapshot"):
                            run.snapshot()
            end = int(session.rows("show master status")[0][1])
            session.run(f"set timestamp = {BASE - 1}; create database marker")
            session.run("create table marker.end (id int primary key); insert into marker.end values (1)")
            for option_set, run in runs.items():
                if not self._sets[option_set].get("snapshot"):
                    shutil.copytree(start, self._work / "runs" / name / option_set, dirs_exist_ok=True)
                run.stream(end)
            steps.order(server.binlog())
        folder = self._tree / "native" / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        _write(folder / "events.jsonl", steps.events)
        window = (began - 60, time.time() + 60)
        told = [f"{name}: {len(steps.events)} events"]
        for option_set, run in runs.items():
            told.append(f"{option_set} {len(run.records)}")
            for form in self._sets[option_set]["forms"]:
                header = self._header(name, option_set, form)
                lines = lines_of(run.records, form, steps.events, header["snapshot"], window)
                _write(folder / f"debezium.{option_set}-{form}.jsonl", [header, *lines])
        return ", ".join(told)

    def _header(self, scenario: str, option_set: str, form: str) -> Json:
        what = self._sets[option_set]
        return {
            "protocol": "debezium",
            "producer": "native",
            "version": DEBEZIUM,
            "scenario": scenario,
            "snapshot": bool(what.get("snapshot")),
            "options": {**self._always, **what.get("options", {})},
            "converters": self._form_options[form],
        }


def _form(options: Mapping[str, Any]) -> Json:
    if "key" in options:
        return dict(options)
    return {"key": dict(options), "value": dict(options), "headers": "simple"}


def _write(path: Path, lines: list[Json]) -> None:
    text = "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines)
    path.write_text(text, "utf-8")


if __name__ == "__main__":
    sys.exit(main())
