"""What the new architecture wrote for the scenarios of our own agrees with our codecs, in every protocol of it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from archives import unpacked

import tidewire
from tidewire.cli.conform import recording, truth
from tidewire.cli.conform.check import Result, check

pytestmark = [pytest.mark.codec, pytest.mark.once]

HERE = Path(__file__).parent / "recorded"
STREAMS = {
    "avro": 139,
    "canal-json": 161,
    "debezium": 115,
    "debezium-avro": 138,
    "open-protocol": 110,
    "simple": 71,
}
"""How many there are; README.md says which scenarios have others as well."""


def test_streams_of_the_new_architecture_agree() -> None:
    folder = unpacked(HERE / "new-architecture.tar.xz")
    protocols = tidewire.protocols()
    happened = {path: truth.load(path) for path in sorted(folder.rglob("events.jsonl"))}
    found: Counter[str] = Counter()
    whole = Result()
    for one in recording.find(folder):
        result = check(one, recording.read(one), happened[one.truth], protocols[one.protocol].load())
        assert result.findings == [], one.path.name
        found[one.protocol] += 1
        whole += result
    assert found == STREAMS
    page = (HERE / "README.md").read_text(encoding="utf-8")
    assert f"{whole.messages:,} messages of {sum(STREAMS.values())} streams" in " ".join(page.split())
