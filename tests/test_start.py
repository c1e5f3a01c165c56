"""What a process imports: a decoder, an executor or a command imports what it needs, and nothing that takes longer."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from commands import INSERT
from recorded import bench_value, canal_json_values
from typer.main import get_command
from typer.testing import CliRunner

from tidewire.cli.main import COMMANDS, app
from tidewire.runtime.arrow.literals import column_of, constant, filled

ROOT = Path(__file__).resolve().parent.parent
PROTOCOLS = ("craft", "canal_json")
# Each takes more than 50 ms to import. pyarrow.compute comes with pyarrow and is needed by what encodes and by Spark.
HEAVY = ("pandas", "rich", "typer", "pyspark", "jinja2", "fsspec", "asyncio", "pyarrow.compute", "pyarrow.fs")


def imported(script: str, *names: str) -> list[str]:
    """Those of the modules that a fresh process has imported when it has run the script."""
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            f"{script}\nimport sys, json; print(json.dumps([*map(sys.modules.get, {names!r})], default=bool))",
        ],
        capture_output=True,
        text=True,
        timeout=1200,
        check=False,
        env={**os.environ, "TIDEWIRE_SLOW_MODE_SAID": "pure"},
    )
    assert done.returncode == 0, done.stderr
    return [name for name, found in zip(names, json.loads(done.stdout.splitlines()[-1]), strict=True) if found]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_protocol_imports_arrow_and_little_else(protocol: str) -> None:
    assert imported(f"import tidewire.{protocol}", "pyarrow", *HEAVY) == ["pyarrow"]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_first_messages_import_nothing_more(protocol: str) -> None:
    value = bench_value(64) if protocol == "craft" else canal_json_values()[0]
    script = f"""
import tidewire.{protocol} as codec
value = {value!r}
events = codec.decode(value)
codec.decode_batch([value, value[:-20], None])
codec.dissect(value)
[str(event) for event in events]
"""
    heavy = [name for name in HEAVY if name != "pyarrow.compute"]
    assert imported(script, *HEAVY[:-2]) == []
    assert imported(script + "codec.encode_batch(events.columns); codec.encode(list(events))", *heavy) == []


def test_to_transcode_imports_no_pandas() -> None:
    script = f"import tidewire; tidewire.transcode([{bench_value(64)!r}], 'craft', 'canal-json')"
    assert imported(script, "pandas", "rich", "typer", "pyspark") == []


def test_a_task_of_spark_imports_no_pandas() -> None:
    """What runs on an executor: the tasks themselves, on the batches that Spark gives them."""
    script = f"""
from tidewire.runtime.arrow.literals import column_of
import pyarrow as pa
from pyspark.sql.types import BinaryType, IntegerType, StringType, StructField, StructType
from tidewire.spark.arrow_types import arrow_schema
from tidewire.spark.encode import EncodeTask
from tidewire.spark.events import EventsTask
from tidewire.spark.outputs import event_schema, row_schema
from tidewire.spark.infer import FOUND, ColumnsTask
from tidewire.spark.options import read_options, write_options
from tidewire.spark.rows import RowsTask
value = {bench_value(64)!r}
messages = pa.RecordBatch.from_arrays([column_of([value, value[:-9], value], pa.binary())], ["value"])
chosen = read_options("craft", {{}}, "UTC")
(events,) = EventsTask("craft", chosen, arrow_schema(event_schema(chosen)))([messages])
(found,) = ColumnsTask("craft", chosen, arrow_schema(FOUND), None)([messages])
name = found.column("schema")[0].as_py(), found.column("table")[0].as_py()
columns = StructType([StructField(one, StringType()) for one in found.column("name").to_pylist() if one])
(rows,) = RowsTask("craft", chosen, arrow_schema(row_schema(columns, chosen)), name, columns)([messages])
encoder = EncodeTask("craft", write_options("craft", {{}}), arrow_schema(StructType(
    [StructField("key", BinaryType()), StructField("value", BinaryType()), StructField("events", IntegerType())])))
assert sum(made.num_rows for made in encoder([events.slice(0, 64)])) >= 1
assert rows.num_rows > events.num_rows > 100
"""
    assert imported(script, "pandas", "rich", "typer", "jinja2") == []


@pytest.mark.parametrize(
    ("arguments", "absent"),
    [
        (["--version"], ("typer", "rich", "pyarrow", *HEAVY)),
        (["--help"], ("pyarrow", "pandas", "pyspark", "jinja2")),
        (["protocols", "--json"], ("pyarrow", "rich", "pandas", "pyspark")),
        (["decode", "--help"], ("pandas", "pyspark")),
        (["decode", "craft", "--hex", INSERT], ("rich", "pandas", "pyspark", "pyarrow.compute")),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_command_imports_what_it_needs(arguments: list[str], absent: tuple[str, ...]) -> None:
    script = f"""
import contextlib, sys
from tidewire.cli.__main__ import app
with contextlib.suppress(SystemExit):
    app({arguments!r})
"""
    assert imported(script, *absent) == []


def test_the_list_of_commands_says_what_they_say_themselves() -> None:
    for name, place in COMMANDS.items():
        own = place.load(name)
        assert own.name == name
        assert " ".join((own.help or "").split("\n\n")[0].split()) == place.about
        listed = get_command(app).commands[name]  # type: ignore[attr-defined]
        assert listed.help == place.about


def test_a_command_that_is_not_there_is_said() -> None:
    result = CliRunner().invoke(app, ["decodee"])
    assert result.exit_code == 2
    assert "No such command 'decodee'" in result.stderr


# ---- Arrow values of Python ones


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, None, -5], pa.int64()),
        ([], pa.int64()),
        ([2**64 - 1, 0], pa.uint64()),
        ([None, None], pa.int32()),
        ([1, 255], pa.uint8()),
        ([1.5, None, float("inf")], pa.float64()),
        ([True, None, False] * 9, pa.bool_()),
        (["a", None, "", "\N{SNOWMAN}"], pa.utf8()),
        (["a", "", "\N{SNOWMAN}"], pa.utf8()),
        ([b"a", None, b"", bytearray(b"xyz"), memoryview(b"abc")[::1]], pa.binary()),
        ([b"a", b""], pa.large_binary()),
        ([None] * 17, pa.utf8()),
        ([], pa.utf8()),
        ([None, None], pa.null()),
        ([], pa.date32()),
        ([None, [1]], pa.list_(pa.int64())),
    ],
)
def test_a_column_is_that_of_arrow(values: list[object], kind: pa.DataType) -> None:
    own = column_of(values, kind)
    own.validate(full=True)
    assert own.equals(pa.array([bytes(v) if isinstance(v, bytearray | memoryview) else v for v in values], kind))
    assert own.null_count == values.count(None)
    assert column_of(iter(values), kind).equals(own)


@pytest.mark.parametrize(
    ("value", "kind", "error"),
    [
        ("a", pa.int64(), TypeError),
        (2**63, pa.int64(), OverflowError),
        (-1, pa.uint64(), OverflowError),
        (1, pa.utf8(), TypeError),
        ("\ud800", pa.utf8(), UnicodeEncodeError),
    ],
)
def test_a_value_of_another_type_is_refused(value: object, kind: pa.DataType, error: type[Exception]) -> None:
    with pytest.raises(error):
        column_of([None, value], kind)
    with pytest.raises(error):
        column_of([value], kind)


def test_a_constant_is_a_scalar_of_its_type() -> None:
    assert constant(1, pa.int64()).equals(pa.scalar(1, pa.int64()))
    assert constant(True, pa.bool_()).equals(pa.scalar(True))
    assert constant(None, pa.utf8()).equals(pa.scalar(None, pa.utf8()))
    assert filled(pa.array([1, None]), 7).to_pylist() == [1, 7]


def calls(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
        ):
            yield f"{node.func.value.id}.{node.func.attr}"


def test_nothing_on_an_executor_makes_arrow_values_that_import_pandas() -> None:
    for folder in ("runtime", "generated", "messages", "reading", "spark"):
        for path in (ROOT / folder).rglob("*.py"):
            if path.name not in ("literals.py", "demo.py", "demo_tables.py"):
                assert not {"pa.array", "pa.scalar", "pa.infer_type"} & set(calls(path)), path
