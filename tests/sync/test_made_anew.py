"""A table that is made anew is built beside the one that is there, and takes its place when it is published."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sync.staged_histories import START as FIRST
from sync.staged_histories import account, change
from sync.topic import Topic, formats
from tidewire.events import Watermark
from tidewire.spark.sync.publish import Published, snapshot
from tidewire.spark.sync.publishing import Publishing
from tidewire.spark.sync.steps import Steps
from tidewire.spark.sync.targets.opened import tables_of


class Died(Exception):
    """The process died."""


@formats("iceberg", "delta")
def test_readers_see_the_old_table_until_the_new_one_is_published(topic: Topic, format: str) -> None:
    """Before and after each step, and where the process dies there; also those that read the table by its name."""
    lake = {"iceberg": "ice.anew_{schema}.{table}"}.get(format, f"{topic.tmp}/lake/{{schema}}/{{table}}")
    more = {"into": f"{format}:{lake}"}
    if format == "iceberg":
        more["history"] = "iceberg:ice.anew_{schema}.{table}_changes"
    rows = [change("insert", 1 + one, "accounts", account(one)) for one in range(3)]
    frame = topic.frame([*rows, Watermark(FIRST + 10)]).persist()
    topic.sync(frame, **more).once()
    later = topic.frame([change("delete", 12, "accounts", None, account(0)), Watermark(FIRST + 20)])
    frame = frame.union(later).persist()
    running = topic.sync(frame, **more)
    owner = running._batches.identity.id
    seen: list[tuple[str, int, int]] = []

    def ids(df: Any) -> set[int]:
        return {row.id for row in df.select("id").collect()}

    def reads(step: str) -> None:
        lake = snapshot(topic.spark, topic.state)
        there = ids(lake["shop.accounts"])
        assert there == ({1, 2} if lake.resolved == FIRST + 20 else {0, 1, 2})
        assert lake.parked == {}
        for number in ("1", "0"):
            table = tables_of(topic.spark, running._batches.identity.into).table("shop.accounts", f"{owner}/{number}")
            if table.found_owner() == table.owner:
                seen.append((step, int(number), len(ids(table.read(table.version())))))

    def watched(was: Callable[..., Any], step: str, dies: bool) -> Callable[..., Any]:
        def found(*of: Any, **named: Any) -> Any:
            reads(f"before {step}")
            made = was(*of, **named)
            reads(f"after {step}")
            if dies:
                raise Died
            return made

        return found

    running.ask("reset", "shop.accounts")
    table = type(tables_of(topic.spark, running._batches.identity.into).table("shop.accounts", "x/0"))
    every = [(Steps, "do"), (table, "_move"), (Publishing, "_swapped"), (Published, "create")]
    for dying in every:
        with pytest.MonkeyPatch.context() as patch:
            for of, name in every:
                patch.setattr(of, name, watched(getattr(of, name), name, (of, name) == dying))
            with pytest.raises(Died):
                topic.sync(frame, **more).once()
    topic.sync(frame, **more).once()
    reads("at the end")
    assert all(rows == 3 for _, number, rows in seen if number == 0)  # it stays as it was until it is moved away
    assert all(rows == 2 for _, number, rows in seen if number == 1)
    assert ids(snapshot(topic.spark, topic.state, FIRST + 10)["shop.accounts"]) == {0, 1, 2}
    assert seen[-1] == ("at the end", 1, 2)


def test_a_table_that_cannot_be_made_anew_stays(topic: Topic) -> None:
    """It is published as it was, with the reason, until the new one can go on."""
    first = topic.frame([change("insert", 1, "accounts", account(1)), Watermark(FIRST + 10)]).persist()
    topic.sync(first).once()
    frame = first.union(topic.frame([change("insert", 11, "accounts", account(2)), Watermark(FIRST + 20)])).persist()
    running = topic.sync(frame)
    running.ask("reset", "shop.accounts")
    path = topic.tmp / "lake/shop/accounts__1"
    path.parent.mkdir(exist_ok=True, parents=True)
    with pytest.MonkeyPatch.context() as patch:

        def refuses(*_: Any) -> Any:
            raise PermissionError(13, "not allowed")

        patch.setattr("tidewire.spark.sync.targets.parquet.ParquetTable.apply", refuses)
        running.once()
    found = snapshot(topic.spark, topic.state)
    assert (found.resolved, [row.id for row in found["shop.accounts"].collect()]) == (FIRST + 20, [1])
    assert found.parked["shop.accounts"].startswith("it is being made anew, and that waits: it cannot be written")
    frame = frame.union(topic.frame([Watermark(FIRST + 30)])).persist()
    running = topic.sync(frame)
    running.ask("resume", "shop.accounts")
    assert running.once().parked == {}
    assert [row[0] for row in topic.rows("shop.accounts")] == [1, 2]
    assert not path.exists()
    assert (path.parent / "accounts__0").exists()
