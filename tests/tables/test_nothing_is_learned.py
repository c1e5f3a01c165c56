"""Of a statement that is an error nothing is learned, wherever in its message the error is."""

from __future__ import annotations

import json
from typing import Any

import pytest
from debezium.test_table_changes import change

from tidewire import debezium, simple
from tidewire.events import Ddl
from tidewire.tables import TableStore

pytestmark = pytest.mark.codec

SURROGATE = b'"\\ud800"'
"""Half a character, which is no text."""


def of_simple(**left_out: None) -> bytes:
    """A statement that makes a table, without some members, its query a question mark."""
    (table,) = TableStore().add_sql("CREATE TABLE s.t (id INT PRIMARY KEY)", version=7)
    (message,) = simple.encode([Ddl(5, "s", "t", 3, "?", table_after=table, sent_ms=6)])
    said = {name: value for name, value in json.loads(message.value or b"").items() if name not in left_out}
    return json.dumps(said).encode()


def of_debezium(**left_out: None) -> bytes:
    source = {"ts_ms": 1, "db": "shop", "table": "orders", "commit_ts": 5}
    payload: dict[str, Any] = {
        "source": source, "ts_ms": 6, "databaseName": "shop", "ddl": "?", "tableChanges": [change({})],
    }  # fmt: skip
    return json.dumps({name: value for name, value in payload.items() if name not in left_out}).encode()


@pytest.mark.parametrize(
    "message",
    [
        of_simple().replace(b'"?"', SURROGATE),
        of_simple(buildTs=None),
        of_simple(commitTs=None),
        of_simple().replace(b'"tableSchema"', b'"preTableSchema": {"schema": 1}, "tableSchema"'),
        of_debezium().replace(b'"?"', SURROGATE),
    ],
    ids=[
        "simple, query",
        "simple, clock",
        "simple, commit ts",
        "simple, table before",
        "debezium, query",
    ],
)
def test_a_statement_that_is_an_error_teaches_nothing(message: bytes) -> None:
    module = debezium if b"tableChanges" in message else simple
    known = TableStore()
    assert module.decode_batch([message], tables=known).errors
    assert len(known) == 0


@pytest.mark.parametrize(("module", "message"), [(simple, of_simple()), (debezium, of_debezium())])
def test_the_same_statement_without_the_error_teaches_its_table(module: Any, message: bytes) -> None:
    known = TableStore()
    assert not module.decode_batch([message], tables=known).errors
    assert len(known) == 1
