"""The recordings of Debezium's own connector are whole: what README.md lists is there, and the truth beside it."""

from __future__ import annotations

import base64
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from native_debezium.recordings import ARCHIVE, Message, folder, payload, scenarios, streams, truth

HERE = Path(__file__).parent
README = (HERE / "README.md").read_text("utf-8")
STREAMS = yaml.safe_load((HERE / "streams.yaml").read_text("utf-8"))
SCENARIOS = [yaml.safe_load(path.read_text("utf-8"))["name"] for path in sorted((HERE / "scenarios").glob("*.yaml"))]
KINDS = {"c": "insert", "u": "update", "d": "delete", "r": "read", "t": "ddl"}
SOURCE = ["version", "connector", "name", "ts_ms", "snapshot", "db", "sequence", "ts_us", "ts_ns", "table", "server_id"]
SOURCE += ["gtid", "file", "pos", "row", "thread", "query"]


def rows_of(title: str) -> list[list[str]]:
    """The cells of the table below a heading of the README, without the heads."""
    section = README.partition(f"## {title}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines[2:]]


def wanted(scenario: str) -> set[str]:
    """The streams that a scenario must have by streams.yaml."""
    return {
        f"{name}-{form}"
        for name, what in STREAMS["sets"].items()
        if scenario in what.get("scenarios", [scenario])
        for form in what["forms"]
    }


def test_archive_is_small() -> None:
    assert ARCHIVE.stat().st_size < 1 << 20


def test_every_scenario_that_has_sql_and_a_line_in_the_readme_is_recorded() -> None:
    assert set(scenarios()) == set(SCENARIOS)
    listed = {row[0].strip("`"): int(row[1]) for row in rows_of("Scenarios")}
    assert listed == {scenario: len(truth(scenario)) for scenario in scenarios()}


def test_every_option_set_that_the_readme_lists_is_recorded() -> None:
    listed = {row[0].strip("`"): set(row[1].replace("`", "").split(", ")) for row in rows_of("Option sets")}
    assert listed == {name: set(what["forms"]) for name, what in STREAMS["sets"].items()}
    assert {row[0].strip("`") for row in rows_of("Forms")} == set(STREAMS["forms"])
    for scenario in scenarios():
        assert {stream.name for stream in streams(scenario)} == wanted(scenario)


def test_every_value_of_every_mode_is_recorded() -> None:
    seen: dict[str, set[str]] = {}
    for stream in streams():
        for option, value in stream.header["options"].items():
            seen.setdefault(option, set()).add(value)
    assert set(seen) == {row[0].strip("`") for row in rows_of("Modes")}
    for option, values in rows_of("Modes"):
        texts = set(re.findall(r"`([^`]+)`", values))
        default = next((text for text in texts if f"`{text}` (default)" in values), None)
        assert texts - {default} == seen[option.strip("`")] - {default}, option


def test_every_op_and_kind_that_the_readme_lists_is_recorded() -> None:
    ops: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    for stream in streams():
        for message in stream.messages:
            kinds[message.kind] += 1
            if message.kind == "row":
                assert message.value is not None
                ops[payload(message.value)["op"]] += 1
    assert {row[0].strip("`"): int(row[1]) for row in rows_of("Operations")} == ops
    assert {row[0].strip("`"): int(row[1]) for row in rows_of("Kinds of records") if row[1] != "varies"} == {
        kind: count for kind, count in kinds.items() if kind != "heartbeat"
    }
    assert kinds["heartbeat"]


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_streams_and_truth_agree(scenario: str) -> None:
    """As many rows as events, of the same kinds, in the same order in every table; a tombstone behind each delete."""
    events = truth(scenario)
    assert [event["n"] for event in events] == list(range(len(events)))
    for recorded in streams(scenario):
        stream = recorded._replace(messages=tuple(m for m in recorded.messages if m.kind != "heartbeat"))
        start = next((e["n"] for e in events if e["kind"] == "read"), len(events)) if stream.header["snapshot"] else 0
        expected: dict[tuple[str, str], list[tuple[str, int]]] = {}
        for event in events[start:]:
            if "columns" in event and (stream.header["snapshot"] or event["kind"] != "read"):
                expected.setdefault((event["schema"], event["table"]), []).append((event["kind"], event["n"]))
        found: dict[tuple[str, str], list[tuple[str, int]]] = {}
        assert [message.number for message in recorded.messages] == list(range(len(recorded.messages)))
        for number, message in enumerate(stream.messages):
            if message.kind == "row":
                value = row(message)
                kind = KINDS[value["op"]]
                if kind != "ddl":
                    name = (value["source"]["db"], value["source"]["table"])
                    found.setdefault(name, []).append((kind, message.events[0]))
                if value["op"] == "d" and message.key is not None:
                    following = stream.messages[number + 1 : number + 2]
                    tombstones = stream.header["options"].get("tombstones.on.delete") != "false"
                    stands = bool(following) and following[0].value is None
                    assert stands == tombstones
                    if stands:
                        assert (following[0].kind, following[0].key) == ("tombstone", message.key)
            elif message.kind == "tombstone":
                assert message.value is None
        assert found == expected, stream.name


def row(message: Message) -> dict[str, Any]:
    assert message.value is not None
    return payload(message.value)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_record_is_json_with_the_members_that_facts_md_lists(scenario: str) -> None:
    for stream in streams(scenario):
        for message in stream.messages:
            for part, data in (("key", message.key), ("value", message.value)):
                if data is not None:
                    found = json.loads(data)
                    wrapped = stream.header["converters"][part]["schemas.enable"] == "true"
                    assert (list(found) == ["schema", "payload"]) == wrapped
            if message.kind == "row":
                value = row(message)
                assert list(value) == ["before", "after", "source", "transaction", "op", "ts_ms", "ts_us", "ts_ns"]
                assert list(value["source"]) == SOURCE


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_rows_have_the_values_of_the_events_they_are_joined_with(scenario: str) -> None:
    """Held for what looks the same in every mode: integers and text in UTF-8."""
    compared = 0
    for stream in streams(scenario):
        for message in stream.messages:
            if message.kind != "row" or "columns" not in (event := truth(scenario)[message.events[0]]):
                continue
            value = row(message)
            for side, image in (("after", event["new"]), ("before", event["old"])):
                assert (value[side] is None) == (image is None)
                for column, given in zip(event["columns"], image or (), strict=image is not None):
                    if stream.header["options"].get("field.name.adjustment.mode") == "avro":
                        continue
                    member = value[side][column["name"]]
                    if (text := as_everywhere(column, given)) is not None and not isinstance(member, bool):
                        compared += 1
                        assert str(member) == text, (stream.name, message.number, column["name"])
    assert compared


def as_everywhere(column: dict[str, Any], given: dict[str, str] | None) -> str | None:
    """The text of a value that no mode changes, None for others."""
    kind = re.split(r"[ (]", column["mysql_type"])[0]
    if given is None:
        return None
    if kind in ("tinyint", "smallint", "mediumint", "int") or (kind == "bigint" and not column["unsigned"]):
        return next(iter(given.values()))
    if column["charset"] is not None and "bytes" in given:
        return base64.b64decode(given["bytes"]).decode("utf-8")
    return None


def test_nothing_of_the_recording_machine_is_in_them() -> None:
    """Clocks and random ids are replaced: the only times are those of the scenario and the fixed one."""
    for stream in streams():
        for message in stream.messages:
            for data in (message.key, message.value, *(data for _, data in message.headers)):
                for number in re.findall(rb'"ts_ms":(\d{13})', data or b""):
                    assert int(number) // 3600000 == 1767323045678 // 3600000
            ids = [data for name, data in message.headers if name == "__debezium.context.runId"]
            assert all(b"00000000-0000-7000-8000-000000000000" in (data or b"") for data in ids)


def test_versions_are_those_of_the_readme() -> None:
    for text in json.loads((folder() / "versions.json").read_text("utf-8")).values():
        assert text in README
