"""The file of `tidewire sync`: what is wrong in it is told with its line, before anything is started."""

from __future__ import annotations

from pathlib import Path

import pytest

from tidewire.cli.shell import CommandError
from tidewire.cli.sync_file import read_sync_file

GOOD = """\
source: {kafka.bootstrap.servers: "localhost:9092", subscribe: tidb-changes, protocol: canal-json, timezone: UTC}
into: {format: iceberg, table: "lake.{schema}.{table}"}
tables: {"shop.*": {}, "shop.audit": {mode: history, schema_changes: park}, "shop.tmp_*": skip}
state: /lake/_tidewire/shop
apply: {every: 5m, schema_changes: evolve, threads: 2}
maintain: {keep_published: 7d}
"""


def test_a_file_says_all_that_sync_is_given(tmp_path: Path) -> None:
    path = tmp_path / "shop.yaml"
    path.write_text(GOOD)
    found = read_sync_file(str(path))
    assert found.source == {"kafka.bootstrap.servers": "localhost:9092", "subscribe": "tidb-changes"}
    assert (found.protocol, found.into) == ("canal-json", "iceberg:lake.{schema}.{table}")
    assert found.tables["shop.audit"] == {"mode": "history", "schema_changes": "park"}
    assert (found.every, found.options["schemaChanges"], found.options["keepPublished"]) == (300, "evolve", "7d")
    assert found.options["timezone"] == "UTC"


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (
            "schema_changes: evolve",
            "schema_change: evolve",
            ':5  apply.schema_change: unknown key "schema_change". Did',
        ),
        ("format: iceberg", "format: icberg", ':2  into.format: unknown value "icberg". Did you mean "iceberg"?'),
        ("lake.{schema}.{table}", "lake.{table}", ":2  into.table: "),
        ("state: /lake/_tidewire/shop\n", "", 'the key "state" is missing'),
        ("threads: 2", "threads: 0", ":5  apply.threads: 0 is too small"),
        ("every: 5m", "every: soon", "apply.every='soon' is no time"),
        ("subscribe: tidb-changes", "subscrib: tidb-changes", 'Did you mean "subscribe"?'),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, old: str, new: str, says: str) -> None:
    path = tmp_path / "shop.yaml"
    assert old in GOOD
    path.write_text(GOOD.replace(old, new))
    with pytest.raises((CommandError, ValueError)) as found:
        read_sync_file(str(path))
    assert says in str(found.value)
