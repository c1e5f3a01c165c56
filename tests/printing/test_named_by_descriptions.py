"""A printed codec of statements whose tables nothing but their descriptions names."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tidewire.generator.__main__ import main

from .test_printed_codecs import run
from .test_printing import SPEC

pytestmark = pytest.mark.whole

NAMED = """
import json, sys, tidewire
tidewire.__path__.insert(0, sys.argv[1])
from tidewire import named
from tidewire.events import Bootstrap, Ddl, RowChange
from tidewire.runtime.errors import EncodeError
from tidewire.tables import TableDescription, TableStore
table = TableDescription.from_json({
    "schema": "s", "table": "t", "version": 9, "columns": [{"name": "id", "mysql_type": "bigint"}]
})
columns = list(table.row_columns())
rows = {"columns": columns, "table_version": 9}
events = [
    Bootstrap(None, "s", "t", table_after=table),
    Ddl(2, "s", "t", 3, "create table t (id bigint)", table_after=table),
    Ddl(3, None, None, None, "flush", table_after=None),
    RowChange("insert", 4, "s", "t", new={"id": 7}, checksum=5, **rows),
    RowChange("insert", 5, "s", "t", new={"id": None}, **rows),
]
values = [message.value for message in named.encode(events)]
again = list(named.decode_batch(values, tables=TableStore()))
try:
    named.encode([RowChange("insert", 4, "s", "t", new={}, **rows)])
    refused = ""
except EncodeError as error:
    refused = str(error)
described = [event.table_after is not None for event in again[:3]]
print(json.dumps([again == events, described, refused, values[2].decode()]))
"""


def test_statements_whose_tables_only_descriptions_name_are_read(tmp_path: Path) -> None:
    """And a row without columns, which only its description could tell from no row, is not written."""
    spec, out, script = tmp_path / "spec", tmp_path / "printed", tmp_path / "named.py"
    spec.mkdir()
    shutil.copy(Path(__file__).parent / "named_by_descriptions.yaml", spec / "named.yaml")
    script.write_text(NAMED, encoding="utf-8")
    assert main(["--spec", str(spec), "--shared", str(SPEC), "--out", str(out)]) == 0
    equal, described, refused, unnamed = run(out, script=script)
    assert equal
    assert described == [True, True, False]
    assert refused == "named event 0: its row image `new` has no columns, and a message that says so is not read"
    assert unnamed == '{"what":"do","at":3,"said":"flush"}'
