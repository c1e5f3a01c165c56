"""The job behind `make run`, on the shipped capture."""

from __future__ import annotations

import base64
import gzip
import io
import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.types import DataType, IntegerType, LongType, StringType, StructField, StructType
from rich.console import Console

import tidewire
from tidewire.runtime.errors import TidewireError
from tidewire.spark import demo
from tidewire.spark.demo_losses import LostImages, differences

SHIPPED = {protocol: Path(__file__).parents[2] / path for protocol, path in demo.CAPTURES.items()}


def shown(captures: Mapping[str, Path], out: Path, spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> str:
    """What the job prints."""

    class Kept:
        """The session of the tests, which the job must not stop."""

        def __getattr__(self, name: str) -> object:
            return getattr(spark, name)

        def stop(self) -> None:
            spark.catalog.clearCache()

    monkeypatch.setattr(demo, "local_session", lambda *_args, **_options: Kept())
    monkeypatch.setattr(demo, "COPIES", 2)
    text = io.StringIO()
    demo.run(captures, out, Console(file=text, width=150))
    return text.getvalue()


def test_all_captures_become_the_same_tables(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = shown(SHIPPED, tmp_path / "out", spark, monkeypatch)
    assert [line for line in text.splitlines() if line.endswith(" ...")] == [
        "starting Spark ...",
        "decoding craft ...",
        "decoding canal_json ...",
        "decoding open_protocol ...",
        "decoding simple ...",
        "decoding simple_records ...",
        "decoding debezium ...",
        "writing 14 tables of craft ...",
        "writing 14 tables of canal_json ...",
        "writing 14 tables of open_protocol ...",
        "writing 14 tables of simple ...",
        "writing 14 tables of simple_records ...",
        "writing 14 tables of debezium ...",
        "measuring ...",
    ]
    assert "14 tables are under" in text
    assert "test.b1: 19 rows" in text
    assert "could not be decoded" not in text
    assert next(line.split() for line in text.splitlines() if "│ test.p " in line) == [
        *("│", "test.p", "│", "4", "│", "3", "│", "2", "│", "3", "│", "│")
    ]
    assert (
        "The same 14 tables come out of craft, canal_json, open_protocol, simple, simple_records and debezium: 136 row"
        in text
    )
    assert "debezium: the same but for 5 insert events of test.times, not 6." in text
    assert "different" not in text
    assert [line.partition(":")[0] for line in text.splitlines() if line.startswith("≈ ")] == [
        "≈ debezium loses 9 values, decimal-through-double",
        "≈ debezium loses 14 values, no-timestamp",
        "≈ debezium loses 7 values, null-becomes-default",
        "≈ debezium loses 1 row image, no-calendar-datetime-refused",
    ]
    assert {line.split()[1] for line in text.splitlines() if "≈ debezium │" in line} == {
        "shop.orders", "test.decs", "test.times"
    }  # fmt: skip
    for protocol in SHIPPED:
        rows = spark.read.parquet(str(tmp_path / "out" / protocol / "test" / "decs"))
        assert rows.schema["id"].dataType.simpleString() == "decimal(20,0)"
        assert rows.schema["d2"].dataType.simpleString() == "decimal(10,2)"
        assert rows.filter("_change_type = 'insert'").count() == 8


def test_captures_that_differ(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with gzip.open(SHIPPED["canal_json"], "rt") as lines:
        kept = [line for line in lines if b'"v":"2"' not in base64.b64decode(json.loads(line)["value"])]
    (tmp_path / "less.jsonl").write_text("".join(kept))
    text = shown({**SHIPPED, "canal_json": tmp_path / "less.jsonl"}, tmp_path / "out", spark, monkeypatch)
    assert (
        "The tables that come out of craft, canal_json, open_protocol, simple, simple_records and debezium differ."
        in text
    )
    assert any("test.k_comp" in line and "different: canal_json" in line for line in text.splitlines())


def test_a_capture_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(TidewireError, match=r"there is no capture .*: run this in the repository"):
        demo.run({"craft": tmp_path / "none"}, tmp_path, Console(file=io.StringIO()))


def test_a_capture_without_its_protocol(capsys: pytest.CaptureFixture[str]) -> None:
    assert demo.main(["topic.jsonl"]) == 1
    assert "'topic.jsonl': say of which protocol the capture is, as in craft=topic.jsonl" in capsys.readouterr().err


def test_spellings_of_a_table_are_one_table() -> None:
    def schema(kind: DataType, **metadata: object) -> StructType:
        return StructType([StructField("id", kind, True, {"handle_key": False, **metadata})])

    found = demo.common_schemas(
        [{("Shop", "T"): schema(IntegerType())}, {("shop", "t"): schema(LongType(), mysql_type="bigint")}]
    )
    assert [(name, one.simpleString()) for name, one in found.items()] == [(("Shop", "T"), "struct<id:bigint>")]


def test_what_is_no_loss_differs() -> None:
    """A value of a column whose type the protocol does not lose, a value that is NULL where others get lost, rows that
    are missing, and rows that nobody else has.
    """
    facts = tidewire.protocols()["debezium"].load().FACTS
    schema = StructType(
        [
            StructField(name, StringType(), True, {"mysql_type": kind})
            for name, kind in (("id", "int"), ("d", "decimal(10,2)"), ("at", "datetime"))
        ]
    )
    wanted = {"id": 1, "d": "1.5", "at": None, "_change_type": "insert"}

    def found(*images: dict[str, object]) -> LostImages | None:
        return differences([wanted], images, schema, facts)

    assert found(wanted) == LostImages(Counter(), Counter())
    assert found({**wanted, "d": "1.4"}) == LostImages(Counter({"decimal-through-double": 1}), Counter())
    assert found({**wanted, "at": "2020-01-01"}) == LostImages(Counter({"null-becomes-default": 1}), Counter())
    assert found() == LostImages(Counter(), Counter({"no-calendar-datetime-refused": 1}))
    assert found({**wanted, "id": 2}) is None
    assert found({**wanted, "_change_type": "delete"}) is None
    assert found(wanted, wanted) is None
    assert differences([{**wanted, "at": "2020-01-01"}], [], schema, facts) is None
