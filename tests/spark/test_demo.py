"""The job behind `make run`, on the shipped capture."""

from __future__ import annotations

import base64
import gzip
import io
import json
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest
from manual.blocks import blocks
from manual.pages import manual
from pyspark.sql import SparkSession
from pyspark.sql.types import DataType, IntegerType, LongType, StringType, StructField, StructType
from rich.console import Console

import tidewire
from tidewire.runtime.errors import TidewireError
from tidewire.spark import demo, demo_tables, rows_from_ticdc
from tidewire.spark.demo_losses import LostImages, differences
from tidewire.spark.demo_told import in_order, told_table
from tidewire.spark.demo_topics import PlainTopic, SparkTopic, common_schemas

SHIPPED = {protocol: Path(__file__).parents[2] / path for protocol, path in demo.CAPTURES.items()}
TITLES = "craft, canal_json, open_protocol, simple, simple_records, debezium, avro and debezium_avro"


def shown(captures: Mapping[str, Path], out: Path, spark: SparkSession, patch: pytest.MonkeyPatch) -> tuple[str, str]:
    """What the job prints, and its report."""

    class Kept:
        """The session of the tests, which the job must not stop."""

        def __getattr__(self, name: str) -> object:
            return getattr(spark, name)

        def stop(self) -> None:
            spark.catalog.clearCache()
            spark.conf.unset("spark.sql.parquet.outputTimestampType")

    patch.setattr(demo, "local_session", lambda *_args, **_options: Kept())
    text = io.StringIO()
    demo.run(captures, out, Console(file=text, width=150, highlight=False))
    return text.getvalue(), (out / "report.txt").read_text("utf-8")


def lacking(page: Path, printed: str) -> str | None:
    """The first part of what a page shows of the job that was not printed; None when all of it was.

    Lines are broken where the terminal ends, so that white space does not count; nor does how long it took.
    """
    (block,) = [one.text for one in blocks(page) if "Events of craft" in one.text]
    given = re.sub(r"\s", "", printed)
    at = 0
    for part in re.split(r"^\.\.\.$", block[block.index("Events of craft") :], flags=re.MULTILINE):
        pattern = re.sub(r"\d+s", r"\\d+s", re.escape(re.sub(r"\s", "", part)))
        found = re.compile(pattern).search(given, at)
        if found is None:
            return part
        at = found.end()
    return None


def schema(kind: DataType, **metadata: object) -> StructType:
    """Of a table with one column."""
    return StructType([StructField("id", kind, True, {"handle_key": False, **metadata})])


def test_all_captures_become_the_same_tables(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, report = shown(SHIPPED, tmp_path / "out", spark, monkeypatch)
    assert [line for line in text.splitlines() if line.endswith(" ...")] == [
        "reading craft with Spark, and 7 other captures without ...",
        "comparing 14 tables ...",
        "keeping the tables of canal_json current ...",
    ]
    assert len(text.splitlines()) < 90
    missing = lacking(manual("demo"), text.replace(f"{tmp_path}/", ""))
    assert missing is None, missing
    assert (
        "The same 14 tables come out of 8 captures, with Spark and without: 136 row images, 1,719 values, are equal, "
        "but for what is lost: ≈ debezium loses 30 values and 1 row image ≈ avro loses 145 values and 30 row images ≈ "
        "debezium_avro loses 25 values and 2 row images All of it"
    ) in " ".join(text.split())
    paths = [line.strip() for line in text.splitlines() if line.strip().startswith(str(tmp_path))]
    assert str(tmp_path / "out" / "craft" / "shop" / "orders") in paths, "it stands whole in a line of its own"
    assert "test.b1: 19 rows" in text
    for printed in (text, report):
        assert "could not be decoded" not in printed
        assert ["│", "test.p", "│", "4", "│", "3", "│", "2", "│", "3", "│", "│"] in map(str.split, printed.splitlines())
    assert f"The same 14 tables come out of {TITLES}: 136 row images, 1,719 values, " in " ".join(report.split())
    assert "debezium: the same but for 5 insert events of test.times, not 6." in report
    assert (
        "avro: the same but for 0 insert events of shop.weird name`x, not 1; 0 delete events of shop.weird name`x, not "
        "1; 1 delete events of shop.weird_name_x, not 0; 0 delete events of test.k_none, not 3."
    ) in " ".join(report.split())
    assert "different" not in report
    assert [line.partition(":")[0] for line in report.splitlines() if line.startswith("≈ ")] == [
        "≈ debezium loses 9 values, decimal-through-double",
        "≈ debezium loses 14 values, no-timestamp",
        "≈ debezium loses 7 values, null-becomes-default",
        "≈ debezium loses 1 row image, no-calendar-datetime-refused",
        "≈ avro loses 127 values, key-alone",
        "≈ avro loses 18 values, no-commit-ts",
        "≈ avro loses 3 row images, keyless-row",
        "≈ avro loses 26 row images, no-row-before",
        "≈ avro loses 1 row image, one-name-twice",
        "≈ debezium_avro loses 1 value, no-calendar-date",
        "≈ debezium_avro loses 17 values, no-timestamp",
        "≈ debezium_avro loses 7 values, null-becomes-default",
        "≈ debezium_avro loses 2 row images, one-name-twice",
        "≈ avro names shop.weird name`x otherwise",
    ]
    assert {line.split()[1] for line in report.splitlines() if "≈ debezium" in line and "│" in line} == {
        "shop.orders", "test.decs", "test.times"
    }  # fmt: skip
    assert [line.split("│")[1].strip() for line in report.splitlines() if "│" in line and " same " in line] == [
        "shop.orders2"
    ]
    for protocol in SHIPPED:
        rows = spark.read.parquet(str(tmp_path / "out" / protocol / "test" / "decs"))
        assert rows.schema["id"].dataType.simpleString() == "decimal(20,0)"
        assert rows.schema["d2"].dataType.simpleString() == "decimal(10,2)"
        assert rows.filter("_change_type = 'insert'").count() == 8


def test_what_processes_say_goes_into_a_file(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with demo.elsewhere(tmp_path / "log"):
        subprocess.run(["sh", "-c", "echo WARN NativeCodeLoader >&2"], check=True)
    subprocess.run(["sh", "-c", "echo heard >&2"], check=True)
    assert capfd.readouterr().err == "heard\n"
    assert "WARN NativeCodeLoader\n" in (tmp_path / "log").read_text("utf-8")


def test_captures_that_differ(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with gzip.open(SHIPPED["canal_json"], "rt") as lines:
        kept = [line for line in lines if b'"v":"2"' not in base64.b64decode(json.loads(line)["value"])]
    (tmp_path / "less.jsonl").write_text("".join(kept))
    captures = {**SHIPPED, "canal_json": tmp_path / "less.jsonl"}
    few = {name: captures[name] for name in ("craft", "canal_json")}
    text, report = shown(few, tmp_path / "out", spark, monkeypatch)
    for printed in (text, report):
        assert "The tables that come out of craft and canal_json differ." in printed
    assert any("test.k_comp" in line and "different: canal_json" in line for line in report.splitlines())


@pytest.mark.parametrize("title", SHIPPED)
def test_spark_gives_the_rows_that_there_are_without_it(title: str, spark: SparkSession) -> None:
    """All tables of a capture: names, types and values, in the order of the events."""
    given = (title, SHIPPED[title], demo_tables.reading_options(title, SHIPPED[title]))
    topic, plain = SparkTopic(*given), PlainTopic(*given)
    topic.look(spark)
    plain.look()
    assert (topic.events, topic.bad) == (plain.events, plain.bad)
    assert topic.schemas == plain.schemas
    for name, schema in topic.schemas.items():
        rows = rows_from_ticdc(topic.messages, topic.protocol, name, schema, topic.options).toArrow()
        other = tidewire.read_table(plain.messages, name, topic.protocol, options=topic.options)
        assert [(one.name, one.type) for one in rows.schema] == [(one.name, one.type) for one in other.schema]
        assert in_order(rows.to_pylist()) == in_order(other.to_pylist()), name


def test_a_capture_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(TidewireError, match=r"there is no capture .*: run this in the repository"):
        demo.run({"craft": tmp_path / "none"}, tmp_path, Console(file=io.StringIO()))


def test_a_capture_without_its_protocol(capsys: pytest.CaptureFixture[str]) -> None:
    assert demo.main(["topic.jsonl"]) == 1
    assert "'topic.jsonl': say of which protocol the capture is, as in craft=topic.jsonl" in capsys.readouterr().err


def test_a_capture_whose_schemas_are_missing(tmp_path: Path) -> None:
    shutil.copy(SHIPPED["avro"], tmp_path)
    with pytest.raises(TidewireError, match=r"no file .*avro_topic\.registry\.json.*tidewire registry snapshot"):
        demo.run({"avro": tmp_path / SHIPPED["avro"].name}, tmp_path, Console(file=io.StringIO()))


def test_rows_that_do_not_say_when_they_were_are_in_the_order_of_the_topic(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, report = shown({"avro": SHIPPED["avro"]}, tmp_path / "out", spark, monkeypatch)
    lines = [" ".join(line.split()) for line in report.splitlines()]
    assert lines[lines.index("test.p: 2 rows") + 1 :][:4] == ["id ┃ v", "━━━━╇━━━", "11 │ z", "15 │ z"]
    assert "Which rows are left in test.k_none is not to be told: the rows that are gone have no key." in lines
    assert "shop.weird_name_x" in next(line for line in lines if line.startswith("No row is left in"))


def test_spellings_of_a_table_are_one_table() -> None:
    found = common_schemas(
        [{("Shop", "T"): schema(IntegerType())}, {("shop", "t"): schema(LongType(), mysql_type="bigint")}]
    )
    assert [(name, one.simpleString()) for name, one in found.items()] == [(("Shop", "T"), "struct<id:bigint>")]


def test_names_that_avro_allows_are_those_of_the_same_table() -> None:
    named, allowed, other = ("shop", "a b"), ("shop", "a_b"), ("shop", "t")
    both = {named: schema(LongType()), allowed: schema(IntegerType())}
    assert list(common_schemas([{named: schema(LongType())}, {allowed: schema(IntegerType())}])) == [named]
    assert list(common_schemas([both, {allowed: schema(IntegerType())}])) == [named, allowed]
    wide = StructType([StructField("a b", LongType()), StructField("c d", LongType()), StructField("e", LongType())])
    told = told_table(named, wide, {allowed: StructType([StructField("a_b", LongType())])})
    assert (told.name, told.schema.names) == (allowed, ["a_b", "c d", "e"])
    told = told_table(named, wide, {named: wide, allowed: schema(LongType())})
    assert (told.name, told.schema.names) == (named, ["a b", "c d", "e"])
    assert told_table(named, wide, {other: wide}).name == named


def test_what_records_do_not_tell_is_lost_and_nothing_else() -> None:
    facts = tidewire.protocols()["avro"].load().FACTS
    columns = StructType(
        [StructField(name, StringType(), True, {"handle_key": name == "id"}) for name in ("id", "v", "w")]
    )
    keyless = StructType([StructField(one.name, one.dataType, True, {"handle_key": False}) for one in columns])
    more = [StructField(name, StringType(), True, {"handle_key": False}) for name in ("+", "-")]
    twice = StructType([*columns, *more])

    def image(change: str, **more: object) -> dict[str, object]:
        own = {"id": 1, "v": "a", "w": None, "+": None, "-": None}
        return {**own, "_change_type": change, "_commit_version": 7, "_commit_timestamp": 8, **more}

    key = {"v": None, "_commit_version": None, "_commit_timestamp": None}
    changes = [image("insert"), image("update_preimage"), image("update_postimage", v="b"), image("delete")]
    told = [image("delete", **key), image("insert"), image("update_postimage", v="b")]

    def found(
        images: list[dict[str, object]], schema: StructType = columns, option: str = "", value: object = None
    ) -> LostImages | None:
        options = {**demo_tables.writing_options("avro"), option: value}
        return differences(changes, images, schema, facts, options)

    lost = Counter({"no-row-before": 1})
    assert found(told) == LostImages(Counter({"key-alone": 1, "no-commit-ts": 1}), lost)
    deleted = image("delete", v=None)
    assert found([deleted, *told[1:]], option="producer", value="ticdc") == LostImages(Counter({"key-alone": 1}), lost)
    assert found(told[1:], keyless) == LostImages(Counter(), lost + Counter({"keyless-row": 1}))
    assert found(told[:1], twice) == LostImages(
        Counter({"key-alone": 1, "no-commit-ts": 1}), lost + Counter({"one-name-twice": 2})
    )
    assert found(told[1:]) is None
    assert found([image("delete"), *told[1:]]) is None
    assert found([told[0], image("insert", v="c"), told[2]]) is None
    assert found(changes, option="avro-include-before-value", value=True) == LostImages(Counter(), Counter())


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
        return differences([wanted], images, schema, facts, {})

    assert found(wanted) == LostImages(Counter(), Counter())
    assert found({**wanted, "d": "1.4"}) == LostImages(Counter({"decimal-through-double": 1}), Counter())
    assert found({**wanted, "at": "2020-01-01"}) == LostImages(Counter({"null-becomes-default": 1}), Counter())
    assert found() == LostImages(Counter(), Counter({"no-calendar-datetime-refused": 1}))
    assert found({**wanted, "id": 2}) is None
    assert found({**wanted, "_change_type": "delete"}) is None
    assert found(wanted, wanted) is None
    assert differences([{**wanted, "at": "2020-01-01"}], [], schema, facts, {}) is None
