"""States between published ones, and versions of rows, from the histories of tables."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from sync.staged_histories import START as FIRST
from sync.staged_histories import account, change
from sync.test_end_to_end import Case, seeds
from sync.topic import Topic, formats
from tidewire.events import Ddl, Event, Watermark
from tidewire.mysql import ddl_type_of
from tidewire.spark.sync import scd2, snapshot
from tidewire.spark.sync.batches import BatchDone
from tidewire.spark.sync.changelog import StateError, Statement
from tidewire.spark.sync.publish import Published
from tidewire.spark.sync.rehearsal.encoded import SCHEMA
from tidewire.spark.sync.rehearsal.histories import History
from tidewire.spark.sync.rehearsal.source import Truth
from tidewire.spark.sync.run import Sync, sync


def pair(kind: str, ts: int, a: int, n: int | None, old: int | None = None) -> Event:
    was = None if old is None else {"a": old, "b": "x", "n": 0}
    return change(kind, ts, "pairs", None if n is None else {"a": a, "b": "x", "n": n}, was)


def stated(ts: int, query: str) -> Event:
    return Ddl(FIRST + ts, "shop", "pairs", ddl_type_of(query), query)


def places(topic: Topic, format: str, name: str) -> dict[str, Any]:
    into, history = (f"{format}:{topic.tmp}/{one}/{{schema}}/{{table}}" for one in ("lake", "changes"))
    if format == "iceberg":
        into, history = (f"iceberg:ice.{name}_{{schema}}.{{table}}{one}" for one in ("", "_changes"))
    return {"into": into, "history": history, "options": {"keepPublished": "90000d"}}


def at(topic: Topic, ts: int, table: str = "shop.pairs") -> list[tuple[Any, ...]]:
    """Rows with all changes up to a commit ts."""
    found = snapshot(topic.spark, topic.state, FIRST + ts, exact=True)
    assert found.resolved == FIRST + ts + 1
    return sorted(tuple(one) for one in found[table].collect())


def versions(topic: Topic, **more: Any) -> list[tuple[Any, ...]]:
    found = scd2(topic.spark, topic.state, "shop.pairs", **more).collect()
    return sorted(
        (one["a"], one["_valid_from_version"] - FIRST, one["n"], (one["_valid_to_version"] or FIRST) - FIRST)
        for one in found
    )


FIRST_BATCH = [pair("insert", 1, 1, 10), pair("insert", 2, 2, 20), Watermark(FIRST + 10)]
SECOND_BATCH = [
    pair("update", 12, 1, 11, 1),
    pair("update", 14, 3, 20, 2),  # its key is changed
    pair("delete", 16, 1, None, 1),
    pair("insert", 16, 1, 12),  # in one transaction
    pair("delete", 18, 3, None, 3),
    Watermark(FIRST + 30),
]


@formats("parquet")
def test_states_between_published_ones(topic: Topic, format: str) -> None:
    more = places(topic, format, "between")
    for events in (FIRST_BATCH, SECOND_BATCH):
        topic.sync(topic.frame(events), **more).once()
    old = [(1, "x", 10), (2, "x", 20)]
    # TiDB's semantics: the changes at the TSO are in it; those at a resolved ts are not
    assert snapshot(topic.spark, topic.state, FIRST + 13).resolved == FIRST + 10
    assert topic.rows("shop.pairs", FIRST + 13) == old
    assert {ts: at(topic, ts) for ts in (9, 12, 14, 16, 18)} == {
        9: old,
        12: [(1, "x", 11), (2, "x", 20)],
        14: [(1, "x", 11), (3, "x", 20)],
        16: [(1, "x", 12), (3, "x", 20)],
        18: [(1, "x", 12)],
    }
    # before the oldest one, of the history alone
    assert at(topic, 1) == [(1, "x", 10)]
    with pytest.raises(StateError, match=r"is not published in .* yet, .* up to as_of="):
        at(topic, 30)
    assert versions(topic) == [(1, 1, 10, 12), (1, 12, 11, 16), (1, 16, 12, 0), (2, 2, 20, 14), (3, 14, 20, 18)]
    assert versions(topic, as_of=FIRST + 14) == [(1, 1, 10, 12), (1, 12, 11, 0), (2, 2, 20, 14), (3, 14, 20, 0)]
    assert versions(topic, since=FIRST + 14) == [(1, 12, 11, 16), (1, 16, 12, 0), (3, 14, 20, 18)]
    current = scd2(topic.spark, topic.state, "shop.pairs").where("_is_current").collect()
    assert [(one["a"], one["_valid_to"], one["_valid_from"].microsecond) for one in current] == [(1, None, 0)]


@formats("iceberg")
def test_statements_between_published_states(topic: Topic, format: str) -> None:
    """What removes rows counts at its commit ts; changed columns are refused, and later ones change nothing."""
    more = places(topic, format, "statements")
    more["options"]["schemaChanges"] = "evolve"
    second = [
        pair("update", 11, 1, 11, 1),
        stated(13, "TRUNCATE TABLE shop.pairs"),
        pair("insert", 15, 1, 15),
        Watermark(FIRST + 20),
    ]
    third = [
        stated(23, "ALTER TABLE shop.pairs MODIFY COLUMN n VARCHAR(20)"),
        stated(24, "ALTER TABLE shop.pairs DROP COLUMN n"),
        Watermark(FIRST + 30),
    ]
    for events in (FIRST_BATCH, second, third):
        assert topic.sync(topic.frame(events), **more).once().parked == {}
    assert [at(topic, ts) for ts in (12, 13, 15)] == [[(1, "x", 11), (2, "x", 20)], [], [(1, "x", 15)]]
    refused = snapshot(topic.spark, topic.state, FIRST + 25, exact=True)
    assert list(refused) == []
    why = rf"its columns were changed at {FIRST + 23} \(ModifyColumn\), between the published states {FIRST + 20} and"
    for call in (lambda: refused["shop.pairs"], refused.create_views):
        with pytest.raises(StateError, match=rf"^table shop.pairs has no state at {FIRST + 25}: {why}"):
            call()
    kept = [(one[0], one[1], int(one[2]), one[3]) for one in versions(topic)]
    assert kept == [(1, 1, 10, 11), (1, 11, 11, 13), (1, 15, 15, 0), (2, 2, 20, 13)]


def test_what_has_no_exact_state_is_refused_by_name(topic: Topic) -> None:
    """A table without a history that was changed; one that was not needs none. And one whose rows cannot be read."""
    more = places(topic, "parquet", "none")
    del more["history"]
    other = change("insert", 3, "accounts", account(1))
    topic.sync(topic.frame([*FIRST_BATCH[:2], other, Watermark(FIRST + 10)]), **more).once()
    topic.sync(topic.frame(SECOND_BATCH), **more).once()
    found = snapshot(topic.spark, topic.state, FIRST + 12, exact=True)
    assert list(found) == ["shop.accounts"]
    assert found["shop.accounts"].count() == 1
    with pytest.raises(StateError, match=r"^table shop.pairs has no state at .* has no history table"):
        found["shop.pairs"]
    assert found.inexact.keys() == {"shop.pairs"}
    with pytest.raises(StateError, match=r"^table shop.pairs has no history: begin a synchronisation with"):
        scd2(topic.spark, topic.state, "shop.pairs")
    with pytest.raises(StateError, match=r"^table shop.none is not in the newest published state: there are shop"):
        scd2(topic.spark, topic.state, "shop.none")


def test_a_history_table_itself(topic: Topic) -> None:
    """Its state is all changes up to the TSO, and its versions are those of its rows."""
    more: dict[str, Any] = {"options": {"keepPublished": "90000d"}, "tables": {"shop.*": {"mode": "history"}}}
    topic.sync(topic.frame(FIRST_BATCH), **more).once()
    emptied = stated(19, "TRUNCATE TABLE shop.pairs")
    topic.sync(topic.frame([*SECOND_BATCH[:-1], emptied, SECOND_BATCH[-1]]), **more).once()
    found = snapshot(topic.spark, topic.state, FIRST + 14, exact=True)["shop.pairs"].collect()
    assert sorted(one["_commit_version"] - FIRST for one in found) == [1, 2, 12, 14, 14]
    assert versions(topic) == [(1, 1, 10, 12), (1, 12, 11, 16), (1, 16, 12, 19), (2, 2, 20, 14), (3, 14, 20, 18)]


class WithHistory(Case):
    """A history that is kept current, with histories of its tables."""

    known: dict[str, DataFrame]
    published: Published

    def sync(self, said: Callable[[BatchDone], None] | None = None, **options: Any) -> Sync:
        mode = "lenient" if self.history.lenient else "evolve"

        def messages(spark: SparkSession) -> DataFrame:
            reader = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
            return reader.option("pathGlobFilter", "*.json").json(str(self.files.folder))

        beside = self.into.replace("/lake/", "/changes/").replace("{table}", "{table}_changes")
        given = {"schemaChanges": mode, "partitions": self.files.partitions, "threads": 2, **options}
        places = {"into": self.into, "history": beside, "state": self.state}
        return sync(self.spark, messages, self.protocol, options=given, said=said, **places)

    def _compare(self, resolved: int, truth: Truth) -> None:
        """Versions that are valid at a published TSO are the rows of the source, and of the snapshot."""
        for name, true in truth.tables.items():
            if name not in self.published.read(resolved).tables:
                continue
            valid = self._versions(name).where(
                f"_valid_from_version < {resolved} and coalesce(_valid_to_version >= {resolved}, true)"
            )
            columns, rows = true.shown()
            # a column that was converted since is text
            there = {row["id"]: {one: str(row[one]) for one in columns} for row in valid.collect()}
            assert there == {key: {one: str(row[one]) for one in columns} for key, row in rows.items()}

    def _versions(self, name: str) -> DataFrame:
        if name not in self.known:
            self.known[name] = scd2(self.spark, self.state, name).persist()
        return self.known[name]


def _stays(history: History) -> bool:
    """Statements of columns, TRUNCATE, and tables that stay."""
    kinds = {one.kind for each in history.log if isinstance(each, Statement) for one in each.actions}
    wanted = {"AddColumn", "Truncate", "RenameColumn"}
    return wanted <= kinds and not history.moves and "DropTable" not in kinds and not history.lenient


@formats("parquet")
def test_versions_at_every_published_ts_are_the_source(spark: SparkSession, tmp_path: Path, format: str) -> None:
    case = WithHistory(spark, tmp_path, seeds(1, _stays)[0], "canal-json", format)
    case.known, case.published = {}, Published(case.state)
    for number in range(len(case.history.batches)):
        case.files.write(number)
    case.sync().once()
    case.compare()
    assert max(case.compared) == case.last
