"""`tidewire check`: which messages of a dump can be decoded, and which are reproduced by encoding."""

from __future__ import annotations

import base64
import gzip
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tidewire.cli.main import app

pytestmark = pytest.mark.codec

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
RUN = CliRunner()


def said(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*_topic.jsonl.gz")), ids=lambda path: path.name)
def test_examples_come_out_the_same(path: Path) -> None:
    registry = path.with_name(path.name.replace(".jsonl.gz", ".registry.json"))
    more = ["-o", f"schema-registry={registry}"] if registry.exists() else []
    done = RUN.invoke(app, ["check", str(path), *more])
    assert done.exit_code == 0, done.stderr
    text = said(done.stdout)
    (read,) = [int(one) for one in text.partition("read: ")[2].split()[:1]]
    assert f"read: {read} of {read} messages" in text
    again = text.partition("written again")[2].partition(": ")[2].split()
    assert again[0] == again[2], text


def test_messages_that_cannot_be_read_and_those_that_come_out_otherwise(tmp_path: Path) -> None:
    lines = gzip.decompress((EXAMPLES / "canal_json_topic.jsonl.gz").read_bytes()).splitlines()
    found = json.loads(lines[5])
    value = base64.b64decode(found["value"])
    lines[5] = json.dumps({**found, "value": base64.b64encode(b'{"more":1,' + value[1:]).decode()}).encode()
    lines[7] = lines[7][:50]
    lines[9] = json.dumps({**json.loads(lines[9]), "value": base64.b64encode(value[:-9]).decode()}).encode()
    path = tmp_path / "dump.jsonl"
    path.write_bytes(b"\n".join(lines))
    done = RUN.invoke(app, ["check", str(path)])
    assert done.exit_code == 1
    assert f"{path}:8: " in done.stderr
    assert f"{path}:10: " in done.stderr
    assert "read: 150 of 152 messages" in said(done.stdout)
    assert f"149 of 150 messages come out the same not the same: {path}:6" in said(done.stdout)


def test_a_row_of_another_program_is_not_written_again(tmp_path: Path) -> None:
    row = {"data": [{"id": "1"}], "database": "shop", "table": "orders", "pkNames": ["id"], "type": "INSERT", "es": 1}
    path = tmp_path / "dump.jsonl"
    path.write_text(json.dumps(row) + "\n")
    done = RUN.invoke(app, ["check", "canal-json", str(path)])
    assert done.exit_code == 0
    text = said(done.stdout)
    assert "written again: none of 1 messages comes out the same when its events are encoded again as tiflow or" in text
    assert "they are not TiCDC's own. The first: canal-json event 0, column 'id'" in text
    assert "It does not matter for reading them" in text


def test_why_messages_are_not_written_again(tmp_path: Path) -> None:
    lines = gzip.decompress((EXAMPLES / "debezium_topic.jsonl.gz").read_bytes()).splitlines()[:6]
    path = tmp_path / "dump.jsonl"
    path.write_text("".join(base64.b64decode(json.loads(one)["value"]).decode() + "\n" for one in lines))
    text = said(RUN.invoke(app, ["check", str(path)]).stdout)
    assert "as tiflow or ticdc: they have no keys, or are not TiCDC's own" in text
    assert "The first: it has no key, and would be written with one. It does not matter" in text
    spelled = [one for one in map(json.loads, lines) if one["key"] is not None]
    for one in spelled:
        value = json.loads(base64.b64decode(one["value"]))
        value["payload"]["source"]["version"] = "another"
        one["value"] = base64.b64encode(json.dumps(value).encode()).decode()
    path.write_text("".join(json.dumps(one) + "\n" for one in spelled))
    text = said(RUN.invoke(app, ["check", str(path)]).stdout)
    assert "they are not TiCDC's own. The first: from offset " in text
    assert "it has '" in text
    assert ", and would be written with '" in text


def test_nothing_to_check(tmp_path: Path) -> None:
    path = tmp_path / "empty"
    path.touch()
    done = RUN.invoke(app, ["check", str(path)])
    assert done.exit_code == 2
    assert "there is nothing in it" in done.stderr
