"""Makes the captures in `examples/` that have an event a message, with TiCDC's own encoders.

    python -m tests.oracle.captures avro

What happened are the recorded scenarios of `tests/golden`. The captures of Simple and Debezium come out as they are
shipped, byte by byte. In those of Canal-JSON and of Simple's records some members are in another order every time.

The classic TiCDC of the oracle does not have Debezium-Avro. Our own encoder makes that capture of Simple's; recordings
hold it against the new architecture's.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from recorded import truth

from tidewire import debezium_avro, simple
from tidewire.events import RowChange
from tidewire.messages.registry import MemorySchemas, RegisteredSchema
from tidewire.runtime.errors import EncodeError
from tidewire.tables import TableStore

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


OURS = "debezium_avro"
"""The capture that our own encoder makes."""
OUR_OPTIONS = debezium_avro.Options(
    enable_tidb_extension=True, avro_enable_watermark=True, avro_bigint_unsigned_handling_mode="string"
)


def main() -> int:
    """Parses the arguments and makes the captures; 1 where the oracle is not there or refuses."""
    parser = argparse.ArgumentParser(prog="python -m tests.oracle.captures", description=(__doc__ or "").split("\n")[0])
    names = (*CAPTURES, OURS)
    parser.add_argument("names", nargs="+", choices=names, metavar="NAME", help=f"of {', '.join(names)}")
    parser.add_argument("--folder", type=Path, default=EXAMPLES, help="where to write them (default examples)")
    given = parser.parse_args()
    if OURS in given.names:
        print(made_by_us(given.folder))
    try:
        if given.names != [OURS]:
            with Oracle() as oracle:
                for name in given.names:
                    if name != OURS:
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
    return _saved(folder, name, lines, refused, answer.get("registry"))


def made_by_us(folder: Path) -> str:
    """Makes the capture of Debezium-Avro of that of Simple; a sentence says what is in it."""
    with gzip.open(EXAMPLES / "simple_topic.jsonl.gz", "rt", encoding="utf-8") as file:
        sent = [json.loads(line) for line in file]
    tables, schemas = TableStore(), MemorySchemas()
    events = simple.decode_batch([b64decode(one["value"]) for one in sent], tables=tables)
    offsets: Counter[tuple[str, int]] = Counter()
    lines, refused = [], []
    encoder_tables = TableStore(tables)
    for line, event in zip(sent, events, strict=True):
        try:
            messages = debezium_avro.encode([event], OUR_OPTIONS, tables=encoder_tables, schemas=schemas)
        except EncodeError as error:
            refused.append(error.reason)
            continue
        for message in messages:
            named = {"schema": getattr(event, "schema", None), "table": getattr(event, "table", None)}
            topic = _topic(named) if isinstance(event, RowChange) else TOPIC
            parts = {"key": _base64(message.key), "value": _base64(message.value), "topic": topic}
            place = {"partition": line["partition"], "offset": offsets[topic, line["partition"]]}
            lines.append({**parts, **place, "timestamp": line["timestamp"]})
            offsets[topic, line["partition"]] += 1
    return _saved(folder, OURS, lines, refused, [_schema(one) for one in schemas.schemas])


def _schema(one: RegisteredSchema) -> Json:
    return {"id": one.id, "subject": one.subject, "version": one.version, "schema": one.text}


def _base64(data: bytes | None) -> str | None:
    return None if data is None else b64encode(data).decode()


def _saved(folder: Path, name: str, lines: Iterable[Json], refused: list[str], registry: Iterable[Json] | None) -> str:
    """Writes a capture, with its schemas where there are any; a sentence says what is in it."""
    written = list(lines)
    path = folder / f"{name}_topic.jsonl.gz"
    path.write_bytes(gzip.compress(_text(written).encode(), mtime=0))
    if registry:
        schemas = ",\n".join(map(_json, registry))
        (folder / f"{name}_topic.registry.json").write_text(f"[\n{schemas}\n]\n", "utf-8")
    return f"{path.name}: {len(written)} messages; refused: {'; '.join(refused) or 'none'}"


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
