"""What tests start is fetched and started, or its failure is a sentence that says what to do."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import pytest
from ivy import Program, unpacked
from real_registry import RealRegistry

from demo import broker
from demo.service import StartError
from tidewire.spark.java import Java
from tidewire.spark.sync.jars import Jar, JarError, Kind, fetch, iceberg_catalog
from tidewire.spark.sync.s3 import s3_settings

pytestmark = pytest.mark.whole

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = Program("A program", "org.example", "program", "1.0", "all", "1 kB")


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def script(path: Path, *lines: str) -> str:
    path.write_text("\n".join(("#!/bin/sh", *lines, "")))
    path.chmod(0o755)
    return str(path)


def test_a_program_is_fetched_once(tmp_path: Path) -> None:
    packed = tmp_path / "packed.tar.gz"
    with tarfile.open(packed, "w:gz") as archive:
        member = tarfile.TarInfo("lib/one.jar")
        member.size = 3
        archive.addfile(member, io.BytesIO(b"jar"))
    log = tmp_path / "log"
    java = script(
        tmp_path / "java",
        f'echo "$@" >> {log}',
        f"mkdir retrieved; cp {packed} retrieved/program-1.0.tar.gz",
        "cat ivy.xml",
    )
    for _ in range(2):
        place = unpacked(PROGRAM, java)
        assert (place / "lib" / "one.jar").read_bytes() == b"jar"
    assert len(log.read_text().splitlines()) == 1
    assert [one.name for one in place.parent.iterdir()] == ["program-1.0"]


def test_jars_are_fetched_once_and_by_one_call(tmp_path: Path) -> None:
    log = tmp_path / "log"
    java = script(
        tmp_path / "java",
        f'echo "$@" >> {log}',
        "mkdir retrieved; printf jar > retrieved/one-1.0.jar; printf jar > retrieved/two-2.0.jar",
    )
    kind = Kind("Two jars", "1 kB", (Jar("org.example", "one", "1.0"), Jar("org.example", "two", "2.0")))
    said: list[str] = []
    for _ in range(2):
        places = fetch(kind, java, said.append)
        assert [(one.name, one.read_bytes()) for one in places] == [("one-1.0.jar", b"jar"), ("two-2.0.jar", b"jar")]
    assert len(log.read_text().splitlines()) == 1
    assert said == [f"fetching Two jars (1 kB) from Maven Central, once, into {tmp_path}/cache/tidewire"]


def test_a_jar_that_is_there_is_not_fetched_again(tmp_path: Path) -> None:
    java = script(tmp_path / "java", "grep -c rev= ivy.xml >&2", "mkdir retrieved; printf new > retrieved/two-2.0.jar")
    kind = Kind("Two jars", "1 kB", (Jar("org.example", "one", "1.0"), Jar("org.example", "two", "2.0")))
    place = tmp_path / "cache" / "tidewire" / "one-1.0.jar"
    place.parent.mkdir(parents=True)
    place.write_text("old")
    assert [one.read_text() for one in fetch(kind, java, lambda line: None)] == ["old", "new"]


def test_what_cannot_be_had_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    java = script(tmp_path / "java", "echo ......", "echo no network", "exit 1")
    with pytest.raises(JarError) as caught:
        unpacked(PROGRAM, java)
    assert str(caught.value) == (
        "A program (org.example:program:1.0, 1 kB) cannot be fetched from Maven Central, which is needed once. Without "
        f"a network: copy the folder {tmp_path}/cache/tidewire of a machine that has one, or name the jars in Spark's "
        "setting spark.jars. Ivy says: no network"
    )
    assert list((tmp_path / "cache" / "tidewire").iterdir()) == []


def test_a_cache_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file")
    with pytest.raises(JarError, match=r"cannot be written .*: set XDG_CACHE_HOME to a folder that can"):
        unpacked(PROGRAM, script(tmp_path / "java", "exit 1"))


def test_a_registry_that_does_not_start_shows_the_end_of_its_log(tmp_path: Path) -> None:
    java = script(tmp_path / "java", "seq 1 100", "echo the port is taken >&2", "exit 3")
    registry = RealRegistry(tmp_path / "log", tmp_path, java)
    with pytest.raises(StartError, match="ended with code 3 before it answered") as caught:
        registry.start()
    assert str(caught.value).endswith("\n99\n100\nthe port is taken")
    assert "\n50\n" not in str(caught.value)
    registry.stop()


def test_a_registry_that_does_not_answer_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("demo.service.READY_SECONDS", 0.3)
    monkeypatch.setattr("demo.service.STOP_SECONDS", 0.3)
    java = script(tmp_path / "java", "trap '' TERM", "echo $$", "while true; do sleep 0.05; done")
    registry = RealRegistry(tmp_path / "log", tmp_path, java)
    with pytest.raises(StartError, match="does not answer after"):
        registry.start()
    process = int((tmp_path / "log").read_text())
    assert not Path(f"/proc/{process}").exists()


def test_a_registry_that_does_not_stop_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("demo.service.STOP_SECONDS", 0.3)
    monkeypatch.setattr(RealRegistry, "answers", lambda registry: registry.log.stat().st_size > 0)
    java = script(tmp_path / "java", "trap '' TERM", "echo $$", "while true; do sleep 0.05; done")
    registry = RealRegistry(tmp_path / "log", tmp_path, java)
    registry.start()
    process = int((tmp_path / "log").read_text())
    assert Path(f"/proc/{process}").exists()
    registry.stop()
    assert not Path(f"/proc/{process}").exists()


def test_a_program_ends_with_the_process_that_started_it(tmp_path: Path) -> None:
    """However that one ends."""
    java = script(tmp_path / "java", "echo $$; exec sleep 600")
    starts = f"""
import os, pathlib, sys
from real_registry import RealRegistry
registry = RealRegistry(pathlib.Path({str(tmp_path / "log")!r}), pathlib.Path("/"), {java!r})
registry.answers = lambda: registry.log.stat().st_size > 0
registry.start()
os.kill(os.getpid(), 9)
"""
    path = os.pathsep.join((str(ROOT), str(ROOT / "tests")))
    done = subprocess.run([sys.executable, "-c", starts], env={**os.environ, "PYTHONPATH": path}, check=False)
    assert done.returncode == -9
    process = Path(f"/proc/{int((tmp_path / 'log').read_text())}")
    while process.exists():
        time.sleep(0.01)


def test_a_frozen_program_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RealRegistry, "answers", lambda registry: registry.log.stat().st_size > 0)
    registry = RealRegistry(tmp_path / "log", tmp_path, script(tmp_path / "java", "echo $$; exec sleep 600"))
    registry.start()
    registry.freeze()
    registry.kill()
    assert not Path(f"/proc/{int((tmp_path / 'log').read_text())}").exists()


def test_a_broker_is_fetched_once_with_all_that_it_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "log"
    files = " ".join(f"retrieved/{name}" for name in (broker._MAIN, "needed-1.0.jar"))
    java = script(tmp_path / "java", f'echo "$@" >> {log}', f"mkdir retrieved; touch {files}")
    monkeypatch.setattr("tidewire.spark.java.find", lambda: Java(17, None, ""))
    monkeypatch.setattr(Java, "executable", java)
    said: list[str] = []
    for _ in range(2):
        assert [one.name for one in broker.jars(said.append)] == [broker._MAIN, "needed-1.0.jar"]
    assert len(log.read_text().splitlines()) == 1
    assert said == [f"fetching Kafka 4.3.1 (44 MB) from Maven Central, once, into {tmp_path}/cache/tidewire"]


def test_a_catalog_in_a_folder_is_made_by_those_who_write_and_stays_of_its_type(tmp_path: Path) -> None:
    new, type = tmp_path / "new/warehouse", "spark.sql.catalog.lake.type"
    looked = iceberg_catalog("lake", str(new), make=False)
    assert (looked[type], "mode=memory" in looked["spark.sql.catalog.lake.uri"], new.exists()) == ("jdbc", True, False)
    made = iceberg_catalog("lake", str(new))
    assert (made[type], new.is_dir()) == ("jdbc", True)
    assert made["spark.sql.catalog.lake.uri"].startswith(f"jdbc:sqlite:{new}/catalog.db?")
    (new / "catalog.db").touch()
    assert iceberg_catalog("lake", str(new), make=False) == made
    # tables that were made before there was such a file are in a catalog that renames none
    for old in ("t", "s/t", "prod/s/t"):
        hint = tmp_path / f"old {old.count('/')}" / old / "metadata/version-hint.text"
        hint.parent.mkdir(parents=True)
        hint.touch()
        assert iceberg_catalog("lake", str(tmp_path / f"old {old.count('/')}"))[type] == "hadoop"


def test_a_catalog_elsewhere_is_a_file_beside_or_a_rest_catalog(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_REGION", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name, raising=False)
    made = iceberg_catalog("lake", "s3://b/w", names=str(tmp_path / "names/lake.db"))
    of = {name.removeprefix("spark.sql.catalog.lake."): value for name, value in made.items()}
    assert (of["type"], of["warehouse"], of["io-impl"]) == ("jdbc", "s3://b/w", "org.apache.iceberg.aws.s3.S3FileIO")
    assert of["uri"].startswith(f"jdbc:sqlite:{tmp_path}/names/lake.db?")
    assert (tmp_path / "names").is_dir()
    assert not any(name.startswith(("s3.", "client.")) for name in of)
    rest = iceberg_catalog("lake", None, names="http://catalog:8181")
    assert rest["spark.sql.catalog.lake.uri"] == "http://catalog:8181"
    assert rest["spark.sql.catalog.lake.type"] == "rest"
    assert iceberg_catalog("lake", "shop", names="http://c")["spark.sql.catalog.lake.warehouse"] == "shop"
    # a store other than AWS's has an address of its own, and takes any region
    assert "spark.hadoop.fs.s3a.endpoint" not in s3_settings()
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://minio:9000")
    assert s3_settings()["spark.hadoop.fs.s3a.endpoint"] == "http://minio:9000"
    assert s3_settings()["spark.hadoop.fs.s3a.endpoint.region"] == "us-east-1"
    assert iceberg_catalog("lake", "s3://b/w", names="http://c")["spark.sql.catalog.lake.s3.endpoint"] == (
        "http://minio:9000"
    )
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", "http://s3:9000")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    assert s3_settings()["spark.hadoop.fs.s3a.endpoint"] == "http://s3:9000"
    assert s3_settings()["spark.hadoop.fs.s3a.endpoint.region"] == "eu-central-1"
