"""Makes the captures in `examples/` that have an event a message, with TiCDC's own encoders.

    python -m tests.oracle.captures avro

What happened are the recorded scenarios of `tests/golden`. The captures of Simple and Debezium come out as they are
shipped, byte by byte. In those of Canal-JSON and of Simple's records some members are in another order every time.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from recorded import truth

from .client import ROOT, Json, Oracle, OracleError

EXAMPLES = ROOT / "examples"
TOPIC = "tidb-changes"
TIME_ZONE = "Asia/Shanghai"
NOW_MS = 1767323045678
"""The clock inside messages."""
SCENARIOS = (("ddl", "strings"), ("batches", "decimals", "integers"), ("partitions", "times", "keys"))
"""What happened, by the partition that it is sent to."""
TABLES_OF_KEYS = ("k_none", "k_uk", "k_comp")
"""The tables of the scenario `keys` that are sent."""
_FORBIDDEN = re.compile("[^a-zA-Z0-9._-]")
"""What no name of a topic has."""


class Capture(NamedTuple):
    """How a capture is made."""

    protocol: str
    options: Mapping[str, Any]
    clock: bool = True
    """Whether messages say when they were written."""
    topics: bool = False
    """Whether each table has a topic of its own, as TiCDC asks for where a registry has the schemas."""


CAPTURES = {
    "canal_json": Capture(
        "canal-json", {"content-compatible": True, "enable-tidb-extension": True, "only-output-updated-columns": True}
    ),
    "simple": Capture("simple", {"encoding-format": "json"}),
    "simple_records": Capture("simple", {"encoding-format": "avro"}),
    "debezium": Capture("debezium", {"enable-tidb-extension": True}),
    "avro": Capture(
        "avro",
        {"enable-tidb-extension": True, "avro-enable-watermark": True, "schema-registry": "http://registry"},
        clock=False,
        topics=True,
    ),
}


def main() -> int:
    """Parses the arguments and makes the captures; 1 where the oracle is not there or refuses."""
    parser = argparse.ArgumentParser(prog="python -m tests.oracle.captures", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("names", nargs="+", choices=CAPTURES, metavar="NAME", help=f"of {', '.join(CAPTURES)}")
    parser.add_argument("--folder", type=Path, default=EXAMPLES, help="where to write them (default examples)")
    given = parser.parse_args()
    try:
        with Oracle() as oracle:
            for name in given.names:
                print(made(oracle, name, given.folder))
    except OracleError as error:
        print(f"captures: {error}", file=sys.stderr)
        return 1
    return 0


def events() -> Iterator[tuple[int, Json]]:
    """What happened, each with the partition that it is sent to."""
    for partition, scenarios in enumerate(SCENARIOS):
        for scenario in scenarios:
            for event in truth(scenario).values():
                if scenario != "keys" or event["table"] in TABLES_OF_KEYS:
                    yield partition, event


def made(oracle: Oracle, name: str, folder: Path) -> str:
    """Makes a capture, with the schemas that were registered where there are any; a sentence says what is in it.

    Raises:
        OracleError: the oracle refuses the whole of it.
    """
    capture = CAPTURES[name]
    sent = list(events())
    options = {**capture.options, "time-zone": TIME_ZONE, **({"now_ms": NOW_MS} if capture.clock else {})}
    # the numbers of events begin anew with every scenario; answers name events by them
    numbered = [{**event, "n": n} for n, (_, event) in enumerate(sent)]
    answer = oracle.encode(capture.protocol, numbered, options)
    offsets: Counter[tuple[str, int]] = Counter()
    lines, refused = [], []
    for message in answer["messages"]:
        if message.get("error"):
            refused.append(message["error"])
            continue
        partition, event = sent[message["events"][0]]
        topic = _topic(event) if capture.topics else TOPIC
        line = {"key": message["key"], "value": message["value"], "topic": topic, "partition": partition}
        lines.append(line | {"offset": offsets[topic, partition], "timestamp": _time(event["commit_ts"])})
        offsets[topic, partition] += 1
    path = folder / f"{name}_topic.jsonl.gz"
    path.write_bytes(gzip.compress(_text(lines).encode(), mtime=0))
    if answer.get("registry"):
        schemas = ",\n".join(map(_json, answer["registry"]))
        (folder / f"{name}_topic.registry.json").write_text(f"[\n{schemas}\n]\n", "utf-8")
    return f"{path.name}: {len(lines)} messages; refused: {'; '.join(refused) or 'none'}"


def _topic(event: Json) -> str:
    """The topic of a table's events; that of all other events."""
    named = event.get("schema") and event.get("table")
    return _FORBIDDEN.sub("_", f"{event['schema']}_{event['table']}") if named else TOPIC


def _time(commit_ts: int) -> str:
    """When a transaction committed."""
    at = datetime.fromtimestamp((commit_ts >> 18) / 1000, UTC)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _text(lines: Iterable[Json]) -> str:
    return "".join(f"{_json(line)}\n" for line in lines)


def _json(found: Json) -> str:
    return json.dumps(found, ensure_ascii=False, separators=(",", ":"))


if __name__ == "__main__":
    sys.exit(main())
