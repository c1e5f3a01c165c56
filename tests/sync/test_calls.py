"""The number of the driver's calls of Java for a table does not depend on its number of columns."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from py4j.clientserver import ClientServerConnection
from pyspark.sql import SparkSession

from sync.frames import frame_of
from sync.staged_histories import KEY, START, batch_of, messages, staged, task
from tidewire.events import Column, RowChange
from tidewire.mysql import ColumnType
from tidewire.spark.sync import targets
from tidewire.spark.sync.changelog import Position
from tidewire.spark.sync.reading import changes, columns_of
from tidewire.spark.sync.staging import staging_options
from tidewire.spark.sync.targets.iceberg import IcebergTables

CANAL = "canal-json"
WIDTHS = (3, 60)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], Any]], int]:
    """How many commands a call sends to Java, but for those that free its objects."""

    def count(call: Callable[[], Any]) -> int:
        sent = []
        real = ClientServerConnection.send_command

        def send(self: ClientServerConnection, command: str) -> Any:
            sent.append(command[:1])
            return real(self, command)

        with monkeypatch.context() as patch:
            patch.setattr(ClientServerConnection, "send_command", send)
            call()
        return sum(one != "m" for one in sent)

    return count


def test_changes_are_read_with_as_many_calls_whatever_their_columns_are(
    spark: SparkSession, tmp_path: Path, asked: Callable[[Callable[[], Any]], int]
) -> None:
    found = {}
    for width in WIDTHS:
        columns = [Column("id", ColumnType.BIGINT, KEY, "bigint")]
        columns += [Column(f"c{at}", ColumnType.INT, 0, "int") for at in range(width)]
        rows = [
            RowChange("insert", START + at, "s", f"t{width}", dict.fromkeys((one.name for one in columns), at), None,
                      columns=tuple(columns))
            for at in range(3)
        ]  # fmt: skip
        files = staged(task(tmp_path, CANAL), batch_of(*messages(rows, CANAL))).rows
        options, struct = staging_options(CANAL, {}, "UTC"), columns_of(files)
        read = partial(changes, spark, CANAL, options, str(tmp_path), f"s.t{width}", struct, files, 0, START + 9)
        assert read().count() == 3
        found[width] = asked(read)
    few, many = (found[width] for width in WIDTHS)
    assert few == many < 100


def test_a_merge_takes_as_many_calls_whatever_the_columns_are(
    spark: SparkSession, asked: Callable[[Callable[[], Any]], int]
) -> None:
    tables = IcebergTables(spark, "ice.calls_{schema}.{table}")
    found: dict[int, list[int]] = {}
    for width in WIDTHS:
        names = ["id", *(f"c{at}" for at in range(width))]
        table = tables.table(f"s.t{width}", f"calls/{width}")
        table.create([targets.Column(name, "int") for name in names], Position(10))
        schema = "_change_type string, " + ", ".join(f"{name} int" for name in names)
        for at in (10, 20, 30):
            rows = frame_of(spark, [("insert", at, *range(width))], schema)
            call = partial(table.apply, rows, ["id"], Position(at), Position(at + 10), True)
            found.setdefault(width, []).append(asked(call))
    few, many = (found[width] for width in WIDTHS)
    # the last two are merges; names of Java that were not asked for before are asked for once
    assert few[2] == many[2] < 200
