"""The conformance run over messages that point to files."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from tidewire import canal_json
from tidewire.cli.conform import recording
from tidewire.cli.conform.command import run
from tidewire.cli.eventjson import to_json
from tidewire.events import RowChange
from tidewire.messages.delivery.claims import unwrap, wrap
from tidewire.mysql import ColumnFlag, ColumnType
from tidewire.runtime.batch import Column

ID = Column("id", ColumnType.INT, int(ColumnFlag.HANDLE_KEY | ColumnFlag.PRIMARY_KEY), "int(11)")
BODY = Column("body", ColumnType.BLOB, int(ColumnFlag.NULLABLE), "text")
NOW = 1767323045678
OPTIONS = {
    "enable-tidb-extension": True,
    "large-message-handle-option": "claim-check",
    "max-message-bytes": 500,
}


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """A recording of two rows, one of them in a file, as `ticdc` would have made it."""
    folder = tmp_path / "ticdc" / "large"
    claims = folder / "canal-json.claim-check.claims"
    claims.mkdir(parents=True)
    events = [
        RowChange("insert", (7 + n) << 18, "s", "t", {"id": n, "body": "x" * 600 * n}, columns=[ID, BODY], sent_ms=NOW)
        for n in range(2)
    ]
    strings = {name: str(value).lower() for name, value in OPTIONS.items()}
    options = canal_json.Options.from_strings({**strings, "claim-check-storage-uri": str(claims), "producer": "ticdc"})
    lines: list[dict[str, Any]] = [
        {
            "protocol": "canal-json",
            "producer": "ticdc",
            "scenario": "large",
            "options": {**OPTIONS, "claim-check-storage-uri": str(claims), "now_ms": NOW, "time-zone": "UTC"},
        }
    ]
    for n, message in enumerate(canal_json.encode(events, options)):
        assert message.value is not None
        value = base64.b64encode(message.value).decode()
        lines.append({"m": n, "kind": "row", "key": None, "value": value, "events": [n]})
    texts = [json.dumps(line) for line in lines]
    (folder / "canal-json.claim-check.jsonl").write_text("\n".join(texts) + "\n", "utf-8")
    truth = [json.dumps({"n": n, **to_json(event)}) for n, event in enumerate(events)]
    (folder / "events.jsonl").write_text("\n".join(truth) + "\n", "utf-8")
    return folder


def the_file(folder: Path) -> Path:
    (found,) = (folder / "canal-json.claim-check.claims").iterdir()
    return found


def test_files_are_read_and_written(recorded: Path) -> None:
    total = run(recording.find(recorded)).total
    assert total.findings == []
    assert (total.decoded.identical, total.reencoded.identical, total.reencoded.equivalent) == (2, 1, 1)
    assert set(total.reasons) == {"claimCheckLocation-value"}
    assert len(list(the_file(recorded).parent.iterdir())) == 1, "what is encoded again is kept in memory"


def test_another_file_is_a_difference(recorded: Path) -> None:
    path = the_file(recorded)
    whole = unwrap(path.read_bytes()).value
    path.write_bytes(wrap(whole.replace(b'"id":0', b'"id":1'), None))
    found = {(finding.what, finding.where) for finding in run(recording.find(recorded)).total.findings}
    assert found == {("re-encode", "claim file"), ("encode from truth", "claim file")}


def test_another_key_is_a_difference(recorded: Path) -> None:
    path = the_file(recorded)
    path.write_bytes(wrap(unwrap(path.read_bytes()).value, b"key"))
    found = {finding.where for finding in run(recording.find(recorded)).total.findings}
    assert found == {"claim file's key"}


def test_a_file_that_is_missing_is_a_difference(recorded: Path) -> None:
    the_file(recorded).unlink()
    findings = run(recording.find(recorded)).total.findings
    assert "there is no such file" in findings[0].got
    assert {finding.what for finding in findings} == {"decode", "re-encode", "encode from truth"}
