"""`make record`: runs SQL scenarios through TiCDC and keeps what it wrote, in the form of the recorded messages.

    python -m tests.oracle.record [--scenario NAME]... [--protocol NAME]... [--again]

Scenarios are tests/scenarios/*.yaml, option sets tests/oracle/streams.yaml. The messages go to out/recorded, which
`tidewire conform` takes, and packed to tests/recorded, an archive for each protocol. What is packed already stays as
it is, with its commit ts and all; `--again` makes it anew.
"""

from __future__ import annotations

import argparse
import base64
import json
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import archives
import yaml

from .client import ROOT, Json, Oracle, OracleError

PRODUCER = "tiflow"
SCENARIOS = ROOT / "tests" / "scenarios"
PACKED = ROOT / "tests" / "recorded"
TREE = ROOT / "out" / "recorded"
TRUTH = "craft"
"""The protocol whose archive holds the events, too, as that of tests/golden does."""


def main() -> int:
    """Parses the arguments and records."""
    parser = argparse.ArgumentParser(prog="python -m tests.oracle.record", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--scenario", action="append", help="only this scenario (repeatable)")
    parser.add_argument("--protocol", action="append", help="only this protocol (repeatable); default craft alone")
    parser.add_argument("--again", action="store_true", help="also what is recorded already")
    given = parser.parse_args()
    protocols = given.protocol or [TRUTH]
    if TRUTH not in protocols:
        protocols = [TRUTH, *protocols]
    for protocol in protocols:
        unpack(protocol)
    try:
        with Oracle() as oracle:
            failed = [s for s in scenarios(given.scenario) if not record(oracle, s, protocols, given.again)]
    except OracleError as error:
        print(f"record: {error}", file=sys.stderr)
        return 1
    for protocol in protocols:
        print(f"{pack(protocol)}: {(PACKED / f'{protocol}.tar.xz').stat().st_size:,} bytes")
    return 1 if failed else 0


def scenarios(names: list[str] | None) -> Iterator[Json]:
    """The scenarios with these names, or all."""
    for path in sorted(SCENARIOS.glob("*.yaml")):
        found: Json = yaml.safe_load(path.read_text("utf-8"))
        # YAML 1.1 takes the key `on` for true.
        found["steps"] = [{"on" if k is True else k: v for k, v in step.items()} for step in found.get("steps") or []]
        if names is None or found["name"] in names:
            yield found


def record(oracle: Oracle, scenario: Json, protocols: list[str], again: bool) -> bool:
    """One scenario through all streams; whether it worked."""
    folder = TREE / PRODUCER / scenario["name"]
    truth = folder / "events.jsonl"
    if truth.exists() and not again:
        events = [json.loads(line) for line in truth.read_bytes().split(b"\n") if line]
    else:
        try:
            asked: Json = {name: what for name, what in scenario.items() if name not in ("name", "comment")}
            events = oracle.sql(asked)
        except OracleError as error:
            print(f"{scenario['name']}: {error}", file=sys.stderr)
            return False
        folder.mkdir(parents=True, exist_ok=True)
        truth.write_text("".join(map(_line, events)), "utf-8")
    commit = oracle.version().get("github.com/pingcap/tiflow", "").rpartition("-")[2]
    made: list[str] = []
    for protocol, option_set, options in streams(scenario, protocols):
        path = folder / f"{protocol}.{option_set}.jsonl"
        if path.exists() and not again:
            continue
        answer = oracle.encode(protocol, events, options)
        header: Json = {"protocol": protocol, "producer": PRODUCER, "commit": commit, "options": options}
        lines: list[Json] = [header | {"scenario": scenario["name"]}]
        lines += [{"m": m, **message} for m, message in enumerate(answer.get("messages") or [])]
        path.write_text("".join(map(_line, lines)), "utf-8")
        if "registry" in answer:
            registry = json.dumps(answer["registry"], ensure_ascii=False, indent=1) + "\n"
            path.with_suffix(".registry.json").write_text(registry, "utf-8")
        shutil.rmtree(path.with_suffix(".claims"), ignore_errors=True)
        for claim in answer.get("claims") or []:
            file = path.with_suffix(".claims") / claim["name"]
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(base64.b64decode(claim["content"]))
        made.append(f"{protocol}.{option_set} {len(lines) - 1}")
    print(f"{scenario['name']}: {len(events)} events; messages: {', '.join(made) or 'all there'}", flush=True)
    return True


def streams(scenario: Mapping[str, Any], protocols: list[str]) -> Iterator[tuple[str, str, Json]]:
    """Protocol, option set and options of the streams to make of a scenario."""
    described = yaml.safe_load((Path(__file__).parent / "streams.yaml").read_text("utf-8"))
    for protocol in protocols:
        for option_set, options in described["streams"][protocol].items():
            if option_set in described["checksummed"].get(protocol, ()) and not scenario.get("checksum"):
                continue
            if scenario["name"] not in described["of"].get(protocol, {}).get(option_set, [scenario["name"]]):
                continue
            whole = {**options, "time-zone": scenario.get("time_zone", "UTC")}
            if protocol in described["clocked"]:
                whole["now_ms"] = described["now_ms"]
            yield protocol, option_set, dict(sorted(whole.items()))


def _line(found: Json) -> str:
    return json.dumps(found, ensure_ascii=False, separators=(",", ":")) + "\n"


# ---- archives


def unpack(protocol: str) -> None:
    """What is recorded already, into the tree."""
    archives.unpack(PACKED / f"{protocol}.tar.xz", TREE)


def pack(protocol: str) -> Path:
    """The tree's files of a protocol, as its archive."""
    target = PACKED / f"{protocol}.tar.xz"
    archives.pack((path for path in TREE.rglob("*") if path.is_file() and _belongs(path, protocol)), TREE, target)
    return target.relative_to(ROOT)


def _belongs(path: Path, protocol: str) -> bool:
    """Whether a file is the protocol's: a stream, its registry, a claim-check file in its folder, or the truth."""
    name = path.name if path.parent.parent.parent == TREE else path.parent.name
    return name.startswith(f"{protocol}.") or (protocol == TRUTH and name == "events.jsonl")


if __name__ == "__main__":
    sys.exit(main())
