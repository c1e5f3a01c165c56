"""State and tables in S3: a server with its interface stands in for it; Spark, Iceberg and s3fs are real."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import s3fs
from deltalake import CommitProperties, DeltaTable, write_deltalake
from deltalake.exceptions import CommitFailedError
from moto.server import ThreadedMotoServer
from pyspark.sql import SparkSession

from sync.dumpling import Dumped, write_dump
from sync.test_end_to_end import CRASHED, LONG, Case, CrashError
from tidewire.reading.database.dump import Dump
from tidewire.reading.database.dumped_text import DumpError
from tidewire.spark.sync.changelog import StateError
from tidewire.spark.sync.choices import chosen
from tidewire.spark.sync.done import NATIVE
from tidewire.spark.sync.jars import iceberg_catalog
from tidewire.spark.sync.maintaining.maintenance import maintain
from tidewire.spark.sync.native.engine import NativeEngine
from tidewire.spark.sync.publish import Published
from tidewire.spark.sync.s3 import delta_options, s3_settings
from tidewire.spark.sync.steps import Steps
from tidewire.spark.sync.storage import Remote

KEYS = {"AWS_ACCESS_KEY_ID": "user", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_ALLOW_HTTP": "true"}


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    """An empty bucket of a server that runs as long as tests of this module follow each other, for the clients of this
    process. All servers of a process have the same memory.
    """
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**KEYS, "AWS_ENDPOINT_URL": f"http://{host}:{port}"}.items():
            patch.setenv(name, value)
        for name in ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE"):
            patch.delenv(name, raising=False)
        s3fs.S3FileSystem.clear_instance_cache()
        store = s3fs.S3FileSystem()
        store.mkdir("lake")
        yield "s3://lake"
        store.invalidate_cache()
        store.rm("lake", recursive=True)
    s3fs.S3FileSystem.clear_instance_cache()
    server.stop()


@pytest.fixture(scope="module")
def in_s3(spark: SparkSession, bucket: str, tmp_path_factory: pytest.TempPathFactory) -> SparkSession:
    """The session, with the settings that `tidewire sync` gives one at its start."""
    context: Any = spark.sparkContext
    hadoop = context._jsc.hadoopConfiguration()
    for name, value in s3_settings().items():
        hadoop.set(name.removeprefix("spark.hadoop."), value)
    hadoop.set("fs.s3a.access.key", KEYS["AWS_ACCESS_KEY_ID"])
    hadoop.set("fs.s3a.secret.key", KEYS["AWS_SECRET_ACCESS_KEY"])
    names = tmp_path_factory.mktemp("s3") / "catalog.db"
    of = iceberg_catalog("s3ice", f"{bucket}/warehouse", names=str(names))
    # Java has the environment of the time when it started
    keys = {"s3.access-key-id": KEYS["AWS_ACCESS_KEY_ID"], "s3.secret-access-key": KEYS["AWS_SECRET_ACCESS_KEY"]}
    of |= {f"spark.sql.catalog.s3ice.{name}": value for name, value in keys.items()}
    for name, value in of.items():
        spark.conf.set(name, value)
    context.environment.update({name: os.environ[name] for name in (*KEYS, "AWS_ENDPOINT_URL")})
    return spark


CASES = [("parquet", "merge"), ("iceberg", "native"), ("delta", "native")]
if LONG:
    CASES += [("iceberg", "merge"), ("delta", "merge")]


@pytest.mark.parametrize(("format", "engine"), CASES)
def test_published_versions_in_s3_are_the_source(
    in_s3: SparkSession, bucket: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, format: str, engine: str
) -> None:
    """Also where the process dies with one of the tables done, or when workers have merged and nobody heard of it; and
    when the tables were maintained.
    """
    case = Case(in_s3, tmp_path, CRASHED, "canal-json", format, engine)
    case.state = f"{bucket}/{format}_{engine}/state"
    case.into = f"{format}:{bucket}/{format}_{engine}/{{schema}}/{{table}}"
    if format == "iceberg":
        case.into = f"iceberg:s3ice.{engine}_{{schema}}.{{table}}"
    for number in range(len(case.history.batches)):
        case.files.write(number)
    of: Any = NativeEngine if engine == "native" else Steps
    name = "merge" if engine == "native" else "do"
    was, calls = getattr(of, name), iter((True,) if engine == "native" else (False, True))

    def dies(*args: Any, **named: Any) -> Any:
        dead = next(calls, False)
        if dead and engine == "merge":
            raise CrashError
        done = was(*args, **named)
        if dead:
            raise CrashError
        return done

    monkeypatch.setattr(of, name, dies)
    with pytest.raises(CrashError):
        case.sync(threads=1).once()
    case.sync(threads=1).once()
    case.compare()
    assert max(case.compared) == case.last
    assert [one for one in maintain(in_s3, case.state, chosen("*.*", {})) if one.failures] == []
    case.compared.clear()
    case.compare()
    if engine == "native":
        found = Published(case.state).read(case.last).engines.values()
        assert NATIVE in {one.name for one in found}, found


def test_a_store_that_cannot_be_asked_is_an_error_that_names_it(bucket: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each client of a store has errors of its own."""
    with pytest.raises(StateError, match=r"^s3://none/state cannot be written \(.*\): make the bucket"):
        Remote("s3://none/state").create("sync.json", "")
    of = Remote(f"{bucket}/state/")
    with pytest.raises(StateError, match=r"^s3://lake/state/sync.json is missing"):
        of.read("sync.json")
    assert [of.create("one", "1"), of.create("one", "2"), of.read("one"), of.names("")] == [True, False, "1", ["one"]]
    s3fs.S3FileSystem.clear_instance_cache()
    for name in KEYS:
        monkeypatch.delenv(name)
    with pytest.raises(StateError, match=r"^s3://lake/state/one cannot be reached: Unable to locate credentials\."):
        Remote(f"{bucket}/state").read("one")
    s3fs.S3FileSystem.clear_instance_cache()


def test_a_dump_is_read_as_the_store_has_it_now(
    bucket: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client holds what it listed before: files that came or grew since then would lack rows."""
    sql = "CREATE TABLE `t` (`id` int NOT NULL, PRIMARY KEY (`id`))"
    written = write_dump(tmp_path, 1 << 58, {"shop.t": Dumped(sql, {"id": "int"}, [[b"1"], [b"2"], [b"3"]])})
    place, name, last = f"{bucket}/a dump/50%", ("shop", "t"), "shop.t.000000001.csv"
    files = {one.name: one.read_bytes() for one in written.iterdir()}

    def put(files: dict[str, bytes]) -> None:
        store = s3fs.S3FileSystem(skip_instance_cache=True)
        for one, content in files.items():
            store.pipe_file(f"{place}/{one}", content)

    def rows() -> list[bytes | None]:
        dump = Dump(place)
        return [cell for some in dump.rows(name, dump.describe(name)) for cell in some.columns[0]]

    put({one: content for one, content in files.items() if one != last})
    assert rows() == [b"1", b"2"]
    put({last: files[last], "shop.t.000000000.csv": b'"id"\r\n1\r\n2\r\n7\r\n'})
    assert rows() == [b"1", b"2", b"7", b"3"]
    s3fs.S3FileSystem.clear_instance_cache()
    for one in KEYS:
        monkeypatch.delenv(one)
    with pytest.raises(DumpError, match=r"^s3://lake/a dump/50% cannot be read: Unable to locate credentials"):
        Dump(place)
    s3fs.S3FileSystem.clear_instance_cache()


def test_of_two_workers_that_commit_one_version_one_has_lost(bucket: str) -> None:
    place = f"{bucket}/two"
    rows, given = pa.table({"a": [1]}), delta_options(place)
    write_deltalake(place, rows, storage_options=given)
    one, two = (DeltaTable(place, storage_options=given) for _ in range(2))
    once = CommitProperties(max_commit_retries=0)
    write_deltalake(one, rows, mode="append", commit_properties=once)
    with pytest.raises(CommitFailedError):
        write_deltalake(two, rows, mode="append", commit_properties=once)
    assert DeltaTable(place, storage_options=given).version() == 1
