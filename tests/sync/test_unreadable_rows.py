"""Messages with values that cannot be read: their keys wait, as far as messages tell table and key."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from sync.staged_histories import (
    ACCOUNTS,
    PROTOCOLS,
    START,
    account,
    batch_of,
    change,
    history,
    messages,
    read,
    staged,
    task,
)
from sync.topic import Topic
from tidewire.events import Column, Ddl, Event, RowChange, Watermark
from tidewire.mysql import ColumnFlag, ColumnType
from tidewire.spark.sync.changelog import DeadLetter
from tidewire.spark.sync.facts import Facts
from tidewire.spark.sync.rehearsal.encoded import described
from tidewire.spark.sync.unreadable_rows import MOST_VALUES
from tidewire.spark.sync.wanted import Wanted

Pairs = Sequence[tuple[str, str]]
COUNTED = (*ACCOUNTS, Column("n", ColumnType.INT, ColumnFlag.NULLABLE, "int"))
AMOUNT, NUMBER = "7654321.50", 1234567
"""Values that are made wrong ones."""
DECIMALS = (("7654321.50", "none at al"), ("7654321.5", '"none at"'))
"""As protocols write the first, and others as long as these; Debezium has a DOUBLE."""
INTEGERS = ((f'"{NUMBER}"', '"abcdefg"'), (str(NUMBER), '"abcde"'))
"""The same of the second; Craft has no text of it."""
WRONG = [
    *((name, DECIMALS) for name in PROTOCOLS),
    *((name, INTEGERS) for name, (protocol, _) in PROTOCOLS.items() if protocol != "craft"),
]


def _events(name: str, events: Sequence[Event]) -> list[Event]:
    if name != "simple":
        return list(events)
    ddl = Ddl(
        START, "shop", "accounts", 3, "CREATE TABLE accounts (id int)", table_after=described("accounts", COUNTED)
    )
    return [ddl, *events]


def _row(number: int) -> dict[str, Any]:
    return account(number, balance=AMOUNT, n=NUMBER)


def _with(value: bytes | None, replaced: Pairs, always: bool = True) -> bytes | None:
    for old, new in replaced:
        assert len(old) == len(new)
        if value is not None and old.encode() in value:
            return value.replace(old.encode(), new.encode())
    assert not always, value
    return value


def _staged(name: str, tmp: Path, bad: Sequence[Event], replaced: Pairs, **more: Any) -> tuple[Facts, list[int]]:
    """What is staged of messages of their own, the given ones with other bytes, between others; and the keys staged."""
    good = [change("insert", ts, "accounts", account(ts, balance="1.00", n=1), columns=COUNTED) for ts in (1, 99)]
    keys, values = messages(_events(name, good[:1]), name)
    for one in bad:
        key, value = messages([one] if name != "simple" else _events(name, [one]), name)
        keys.append(key[-1])
        values.append(_with(value[-1], replaced))
    last = messages(_events(name, good[1:]), name)
    facts = staged(task(tmp, PROTOCOLS[name][0], **more), batch_of([*keys, last[0][-1]], [*values, last[1][-1]]))
    return facts, [] if more.get("few") else [row["id"] for row in read(tmp, facts, "shop.accounts")]


def _waiting(letters: Sequence[DeadLetter]) -> list[tuple[str, str, int]]:
    return sorted((one.table, one.key, one.ts and one.ts - START) for one in letters)


def _changes() -> list[RowChange]:
    return [
        change("insert", 2, "accounts", _row(8), columns=COUNTED),
        change("update", 3, "accounts", _row(9), account(9, balance="1.00", n=1), columns=COUNTED),
        change("update", 4, "accounts", _row(11), account(10, balance="1.00", n=1), columns=COUNTED),
    ]


@pytest.mark.parametrize(("name", "replaced"), WRONG)
@pytest.mark.parametrize("few", [0, 99])
def test_a_value_that_cannot_be_read_has_its_key_wait(name: str, replaced: Pairs, few: int, tmp_path: Path) -> None:
    facts, ids = _staged(name, tmp_path, _changes(), replaced, few=few)
    assert _waiting(facts.dead) == [
        ("shop.accounts", f'["{one}"]', ts) for one, ts in ((10, 4), (11, 4), (8, 2), (9, 3))
    ]
    assert sum(one.rows for one in facts.rows) == 2
    assert ids == ([] if few else [1, 99])
    assert sum(facts.letters.values()) == 4
    assert all(one.reason and one.offset for one in facts.dead)


@pytest.mark.parametrize("name", list(PROTOCOLS))
def test_rows_of_a_message_wait_together(name: str, tmp_path: Path) -> None:
    """All of them are missing, and no other message is; rows that nobody wants wait for nothing."""
    pair = change("insert", 5, "pairs", {"a": 1, "b": "x", "n": 2})
    keys, values = messages(_events(name, [change("insert", 1, "accounts", _row(7), columns=COUNTED), pair]), name)
    values = [_with(one, DECIMALS, always=False) for one in values]
    together = len(values) == 1
    for wanted in (Wanted(), Wanted(("shop.pairs",))):
        facts = staged(task(tmp_path, PROTOCOLS[name][0], wanted=wanted), batch_of(keys, values))
        waiting = [("shop.accounts", '["7"]', 1)] if wanted == Wanted() else []
        if together:
            waiting.append(("shop.pairs", '["1","x"]', 5))
        assert _waiting(facts.dead) == waiting


JSON = [name for name, (protocol, _) in PROTOCOLS.items() if protocol != "craft"]


@pytest.mark.parametrize("name", JSON)
def test_a_key_that_cannot_be_read_has_its_table_wait(name: str, tmp_path: Path) -> None:
    row = account(NUMBER, owner="x", balance="1.00", n=1)
    facts, ids = _staged(name, tmp_path, [change("insert", 2, "accounts", row, columns=COUNTED)], INTEGERS)
    assert (_waiting(facts.dead), ids) == ([("shop.accounts", "", 2)], [1, 99])


@pytest.mark.parametrize(("wrong", "known"), [(MOST_VALUES, True), (MOST_VALUES + 1, False)])
def test_a_message_with_many_wrong_values_is_of_no_known_row(wrong: int, known: bool, tmp_path: Path) -> None:
    more = tuple(Column(f"n{at}", ColumnType.INT, ColumnFlag.NULLABLE, "int") for at in range(wrong))
    row = {**account(8, balance="1.00"), **{one.name: NUMBER for one in more}}
    bad = change("insert", 2, "accounts", row, columns=(*ACCOUNTS, *more))
    facts, ids = _staged("canal-json", tmp_path, [bad], INTEGERS)
    assert _waiting(facts.dead) == [("shop.accounts", '["8"]', 2) if known else ("", "", 0)]
    assert ids == [1, 99]


@pytest.mark.parametrize("name", ["canal-json", "open-protocol", "simple"])
def test_a_row_whose_file_is_gone_has_its_key_wait(name: str, tmp_path: Path) -> None:
    claims = tmp_path / "claims"
    claims.mkdir()
    more = {"large_message_handle_option": "claim-check", "claim_check_storage_uri": str(claims)}
    wide = change("insert", 2, "accounts", account(2, owner="o" * 4000))
    keys, values = messages(history()[:1] * (name == "simple") + [wide], name, **more, max_message_bytes=2000)
    for one in claims.iterdir():
        one.unlink()
    facts = staged(task(tmp_path, PROTOCOLS[name][0], {"claim-check": str(claims)}), batch_of(keys, values))
    assert (_waiting(facts.dead), facts.unmergeable, facts.rows) == ([("shop.accounts", '["2"]', 2)], {}, [])
    assert "there is no such file" in facts.dead[0].reason


def test_a_message_that_tells_no_row_is_counted(tmp_path: Path) -> None:
    keys, values = messages([change("insert", 2, "accounts", _row(8), columns=COUNTED)], "canal-json")
    value = values[0] or b""
    for bad in (value[:-9], value.replace(b'"table":"accounts"', b'"table":7'), value.replace(b'"INSERT"', b"7"), b"{"):
        facts = staged(task(tmp_path, "canal-json"), batch_of(keys, [bad]))
        assert (_waiting(facts.dead), facts.rows) == ([("", "", 0)], [])


def test_only_the_key_of_an_unreadable_row_waits(spark: SparkSession, tmp_path: Path) -> None:
    """The rest of its table goes on, and a later row ends the wait."""
    topic = Topic(spark, tmp_path)

    def updated(ts: int, number: int, balance: str) -> RowChange:
        return change("update", ts, "accounts", account(number, balance=balance), account(number))

    first = [change("insert", 1 + n, "accounts", account(n)) for n in range(3)]
    events = [*first, updated(11, 1, AMOUNT), updated(12, 2, "9.00"), Watermark(START + 20)]
    frame = topic.frame(events)
    value = F.expr(f"cast(replace(cast(value as string), '{AMOUNT}', 'none') as binary)")
    found = topic.sync(frame.withColumn("value", value)).once()
    assert (found.parked, found.keys, found.dead) == ({}, {"shop.accounts": 1}, 1)
    assert "'none' is no DECIMAL" in found.letters[0].reason
    assert found.letters[0][5:7] == ("shop.accounts", '["1"]')
    assert {row[0]: str(row[2]) for row in topic.rows("shop.accounts")} == {0: "0.50", 1: "1.50", 2: "9.00"}
    found = topic.sync(topic.frame([updated(21, 1, "7.00"), Watermark(START + 30)])).once()
    assert {row[0]: str(row[2]) for row in topic.rows("shop.accounts")} == {0: "0.50", 1: "7.00", 2: "9.00"}
    found = topic.sync(topic.frame([Watermark(START + 40)])).once()
    assert (found.parked, found.keys, found.dead) == ({}, {}, 1)
