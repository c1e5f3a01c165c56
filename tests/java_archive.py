"""`python -m tests.java_archive`: the classes of a start of Spark, loaded and verified, for Javas that tests start.

Java maps the file into memory where it would load some 15,000 classes one by one: a start and a first query take 4
seconds of CPU in place of 8, and a run of the tests starts Spark some sixty times. A Java that is another one, or has
other jars, starts as without the file.
"""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
from pathlib import Path

CAPTURE = Path(__file__).parents[1] / "examples" / "canal_json_topic.jsonl.gz"
ARCHIVE = Path(__file__).parents[1] / "build" / "spark.jsa"
STARTS = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"
"""For a Java that runs for seconds: what makes code faster costs more than it saves."""
FILE = """\
source: {{protocol: canal-json, files: "{capture}", timezone: Asia/Shanghai}}
into: {{format: parquet, table: "{folder}/lake/{{schema}}/{{table}}"}}
tables: {{"test.k_*": {{}}}}
state: "{folder}/state"
"""


def options() -> str:
    """For Javas that tests start: classes from the archive if there is one, and those of others not verified. A Java
    that the archive is not of says nothing of it.
    """
    archived = f"-XX:SharedArchiveFile='{ARCHIVE}' -Xlog:cds=off,cds+dynamic=off" if ARCHIVE.exists() else ""
    return f"{STARTS} -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote {archived}".rstrip()


def write() -> None:
    """Runs a synchronisation, and has its Java write the archive when it ends."""
    from pyspark import SparkContext

    from tidewire.cli.__main__ import app

    new = ARCHIVE.with_suffix(".new")
    os.environ["SPARK_SUBMIT_OPTS"] = f"{STARTS} -Xlog:disable -XX:ArchiveClassesAtExit='{new}'"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "sync.yaml")
        file.write_text(FILE.format(capture=CAPTURE, folder=folder))
        with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()):
            app(["sync", str(file), "--once"])
    gateway = SparkContext._gateway
    assert gateway is not None, "the synchronisation started no Spark"
    gateway.proc.stdin.close()
    gateway.proc.wait()
    new.replace(ARCHIVE)


if __name__ == "__main__":
    write()
