"""`tidewire sync verify` without Spark: which source it takes, what it refuses before Spark is started, what it prints.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from sync.dumpling import Dumped, write_dump

from tidewire.cli.shell import CommandError
from tidewire.cli.sync_file import read_sync_file
from tidewire.cli.sync_verify import exit_code, lines_of, object_of, summary, wanted
from tidewire.reading.database.connection import Address, Database, DatabaseError, address_of
from tidewire.reading.database.dump import Dump
from tidewire.runtime.errors import OptionError
from tidewire.spark.sync.changelog import StateError
from tidewire.spark.sync.publish import Published, Record
from tidewire.spark.sync.verifying.comparing import Compared, Difference
from tidewire.spark.sync.verifying.tables import TableVerdict

R = 470607537148264455


def written(folder: Path, more: str = "") -> Path:
    path = folder / "shop.yaml"
    path.write_text(
        "source: {protocol: canal-json, files: nowhere.jsonl}\n"
        f"into: {{format: parquet, table: '{folder}/lake/{{schema}}/{{table}}'}}\nstate: {folder}/state\n{more}"
    )
    return path


def chosen(path: Path, **given: Any) -> Any:
    none = dict.fromkeys(("dump", "timezone", "url", "as_of"))
    return wanted(read_sync_file(str(path)), (), 20, **{**none, **given})


def dump_of(folder: Path, tso: int) -> str:
    return str(write_dump(folder / "dump", tso, {"a.b": Dumped("CREATE TABLE `b` (id int)", {"id": "int"}, [])}))


def test_one_source_is_named(tmp_path: Path) -> None:
    path = written(tmp_path)
    with pytest.raises(CommandError, match="no source is named: say --dump DIR, or --source URL"):
        chosen(path)
    with pytest.raises(CommandError, match="two sources are named"):
        chosen(path, dump="a", url="b")
    with pytest.raises(CommandError, match="two sources are named"):
        chosen(written(tmp_path, "verify: {module: pymysql, dump: d}\n"))
    with pytest.raises(CommandError, match="--as-of is for a connection"):
        chosen(path, dump="a", as_of="1")
    with pytest.raises(CommandError, match="--timezone is for a dump"):
        chosen(path, url="pymysql://h/", timezone="UTC")
    found = chosen(written(tmp_path, "verify: {module: pymysql, arguments: {host: tidb, port: 4000}}\n"), as_of="5")
    assert (found.source, found.as_of) == (Address("pymysql", {"host": "tidb", "port": 4000}), "5")
    # what the command names comes first
    assert chosen(written(tmp_path, "verify: {dump: d}\n"), url="mariadb://h:1/").source.module == "mariadb"
    with pytest.raises(CommandError, match=r"verify\.modul: unknown key"):
        chosen(written(tmp_path, "verify: {modul: pymysql}\n"))


def test_a_dump_is_refused_before_spark_is_started(tmp_path: Path) -> None:
    path = written(tmp_path)
    with pytest.raises(StateError, match="nothing is published in"):
        chosen(path, dump=dump_of(tmp_path, R - 1))
    Published(str(tmp_path / "state")).create(Record(R, 1, {}))
    Published(str(tmp_path / "state")).create(Record(R + 9, 1, {}))
    found = chosen(path, dump=dump_of(tmp_path, R - 1), timezone="+08:00")
    assert isinstance(found.source, Dump)
    assert found.source.timezone == "+08:00"
    with pytest.raises(OptionError, match="timezone"):
        chosen(path, dump=dump_of(tmp_path, R - 1), timezone="Mars/Olympus")
    with pytest.raises(StateError) as raised:
        chosen(path, dump=dump_of(tmp_path, R + 2))
    assert f"--snapshot {R + 8}, or of that one with --snapshot {R - 1}, while TiDB keeps" in str(raised.value)


def test_what_a_url_says() -> None:
    assert address_of("pymysql://me:p%40ss@tidb:4000/shop?ssl_ca=ca.pem") == Address(
        "pymysql",
        {"host": "tidb", "port": 4000, "user": "me", "password": "p@ss", "database": "shop", "ssl_ca": "ca.pem"},
    )
    assert address_of("mysql.connector://tidb/?user=me").arguments == {"host": "tidb", "user": "me"}
    for wrong in ("tidb:4000", "pymysql://", "pymysql://tidb:port/", ""):
        with pytest.raises(DatabaseError, match=r"no address of a database: .* as in pymysql://tidb:4000"):
            address_of(wrong)


def test_a_driver_and_a_password_that_are_not_there_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DatabaseError, match="pip install pymysql"):
        Database(Address("no_such_driver", {}), None)
    with pytest.raises(DatabaseError, match="is no driver of DB-API"):
        Database(Address("json", {}), None)
    with pytest.raises(DatabaseError, match="the environment has no variable NO_SUCH_NAME"):
        Database(Address("sync.snapshots", {"password": "$NO_SUCH_NAME"}), None)
    monkeypatch.setenv("A_NAME", "sesame")
    with pytest.raises(DatabaseError) as raised:
        Database(Address("sync.snapshots", {"user": "me", "password": "$A_NAME"}), None)
    assert "Access denied for me with ***" in str(raised.value)


EQUAL = TableVerdict("shop.a", R, "equal", compared=Compared(1000, 1000))
HISTORY = TableVerdict("shop.h", R, "not compared", "all of its changes are kept", expected=True)
PARKED = TableVerdict("shop.p", R, "not compared", "it waits")
DIFFERENT = TableVerdict(
    "shop.b",
    R,
    "different",
    compared=Compared(
        5,
        6,
        3,
        {"missing": 1, "extra": 2, "repeated": 0, "different": 1},
        (
            Difference("missing", {"a": "1", "b": None}),
            Difference("extra", {"a": "2", "b": ""}),
            Difference("different", {"a": "3", "b": "x"}, {"v": ("9.90", "9.09"), "w": (None, "")}),
        ),
    ),
    notes=("a note",),
)


def test_what_a_person_reads() -> None:
    assert list(lines_of(EQUAL)) == ["shop.a: equal, 1,000 rows"]
    assert list(lines_of(PARKED)) == ["shop.p: not compared: it waits"]
    assert list(lines_of(DIFFERENT)) == [
        "shop.b: different: 1 missing, 2 extra, 1 different",
        "    5 rows in the source, 6 in the table",
        "    missing from the table: a=1, b=NULL",
        "    only in the table: a=2, b=''",
        "    different: a=3, b=x: v is 9.90 in the source and 9.09 in the table;"
        " w is NULL in the source and '' in the table",
        "    and 1 more",
        "    a note",
    ]
    assert summary([EQUAL, DIFFERENT, PARKED, HISTORY]) == "1 table equal, 1 table different, 2 tables not compared"


def test_what_a_program_reads() -> None:
    found = json.loads(json.dumps(object_of(DIFFERENT, R - 1)))
    assert found == {
        "table": "shop.b",
        "resolved": R,
        "source_tso": R - 1,
        "verdict": "different",
        "rows": {"source": 5, "table": 6},
        "ranges": 3,
        "missing": 1,
        "extra": 2,
        "repeated": 0,
        "different": 1,
        "unseen_ranges": 0,
        "differences": [
            {"kind": "missing", "key": {"a": "1", "b": None}},
            {"kind": "extra", "key": {"a": "2", "b": ""}},
            {"kind": "different", "key": {"a": "3", "b": "x"}, "columns": {"v": ["9.90", "9.09"], "w": [None, ""]}},
        ],
        "notes": ["a note"],
    }
    assert object_of(PARKED, R - 1)["reason"] == "it waits"


def test_the_exit_code_says_whether_all_is_equal() -> None:
    assert exit_code([EQUAL, HISTORY]) == 0
    assert exit_code([EQUAL, DIFFERENT, PARKED]) == 1
    assert exit_code([EQUAL, PARKED]) == 2
    assert exit_code([HISTORY]) == exit_code([]) == 2
