"""Rows that are longer than what a broker usually takes: in one message, or in a file that the message names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sync.staged_histories import PROTOCOLS, START, account, batch_of, change, history, messages, read, staged, task
from tidewire.events import Event, Watermark

MB = 1_000_000
LENGTHS = [(1, 2), (7, 3 * MB // 2), (7, 3 * MB), (9, 2)]
WIDE = account(7, owner="o" * LENGTHS[1][1])


def _events(name: str) -> list[Event]:
    """Between others, a row that is inserted and one that is updated."""
    return [
        *([history()[0]] if name == "simple" else []),
        change("insert", 1, "accounts", account(1)),
        change("insert", 2, "accounts", WIDE),
        change("update", 3, "accounts", account(7, owner="p" * LENGTHS[2][1]), WIDE),
        change("insert", 4, "accounts", account(9)),
        Watermark(START + 10),
    ]


@pytest.mark.parametrize("name", ["canal-json", "craft", "open-protocol", "simple", "debezium"])
def test_long_messages_are_staged_as_others(name: str, tmp_path: Path) -> None:
    keys, values = messages(_events(name), name)
    assert max(len(one or b"") for one in values) > 4 * MB
    facts = staged(task(tmp_path, PROTOCOLS[name][0]), batch_of(keys, values))
    assert (facts.dead, facts.unmergeable) == ([], {})
    assert [(row["id"], len(row["owner"])) for row in read(tmp_path, facts, "shop.accounts")] == LENGTHS


@pytest.mark.parametrize("name", ["canal-json", "open-protocol", "simple"])
def test_rows_that_a_message_only_names_are_fetched_or_park_their_table(name: str, tmp_path: Path) -> None:
    claims = tmp_path / "claims"
    claims.mkdir()
    more: dict[str, Any] = {"large_message_handle_option": "claim-check", "claim_check_storage_uri": str(claims)}
    keys, values = messages(_events(name), name, **more, max_message_bytes=2000)
    assert max(len(one or b"") for one in values) < 2000
    protocol, batch = PROTOCOLS[name][0], batch_of(keys, values)
    facts = staged(task(tmp_path / "fetched", protocol, {"claim-check": str(claims)}), batch)
    assert (facts.dead, facts.unmergeable) == ([], {})
    found = read(tmp_path / "fetched", facts, "shop.accounts")
    assert [(row["id"], len(row["owner"])) for row in found] == LENGTHS
    for few in (0, 99):
        facts = staged(task(tmp_path / f"named-{few}", protocol, few=few), batch)
        ts, lacks = facts.unmergeable["shop.accounts"]
        assert ts == START + 2
        assert "handle key columns only: the whole row was too large for it" in lacks
