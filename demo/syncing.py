"""`tidewire sync` as a process of its own, and what it says of its batches."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from demo.service import GUARD, STOP_SECONDS

_FILE = """\
# tidewire sync {file}
source:
  protocol: canal-json
  kafka.bootstrap.servers: {servers}
  subscribe: {topic}
into:
{into}
state: {folder}/{format}.state
apply: {{every: 1s, schema_changes: evolve}}
spark:
  spark.sql.shuffle.partitions: 2
  spark.databricks.delta.snapshotPartitions: 2
  spark.local.dir: {folder}/spark
  spark.driver.extraJavaOptions: "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=160m
    -Djava.io.tmpdir='{folder}/spark'"
"""
_INTO = {
    "iceberg": "  format: iceberg\n  table: lake.{{schema}}.{{table}}\n  warehouse: {folder}/iceberg",
    "delta": "  format: delta\n  table: {folder}/delta/{{schema}}/{{table}}",
}


class Syncing:
    """A process that keeps tables of one format current.

    Attributes:
        published: the resolved ts of the newest batch that said it was published.
    """

    def __init__(self, format: str, folder: Path, servers: str, topic: str, said: Callable[[str, str], None]) -> None:
        """
        Args:
            format: iceberg or delta.
            folder: for the file, the tables, the state and a log.
            servers: of the broker.
            topic: which is read.
            said: takes the format and a line about a batch.
        """
        self.format = format
        self.state = f"{folder}/{format}.state"
        self.file = folder / f"{format}.yaml"
        self.published = 0
        self.log = folder / f"{format}.log"
        self._said = said
        self._process: subprocess.Popen[bytes] | None = None
        into = _INTO[format].format(folder=folder)
        (folder / "spark").mkdir(exist_ok=True)  # what Spark leaves where it was killed
        self.file.write_text(
            _FILE.format(file=self.file, servers=servers, topic=topic, into=into, folder=folder, format=format)
        )

    def start(self) -> None:
        """Starts it."""
        command = [sys.executable, "-P", "-m", "tidewire.cli", "sync", str(self.file), "--json"]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(GUARD), str(STOP_SECONDS), *command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,
            )
        threading.Thread(target=self._read, args=(self._process,), daemon=True).start()

    def kill(self) -> None:
        """kill -9: of Python, its workers and Java at once, as when the machine dies."""
        assert self._process is not None
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def stop(self) -> None:
        """Ends it, if it runs."""
        if self._process is not None:
            assert self._process.stdin is not None
            self._process.stdin.close()
            self._process.wait()

    def ended(self) -> str | None:
        """The last line of its log, where it has ended by itself."""
        if self._process is None or self._process.poll() is None:
            return None
        lines = self.log.read_text("utf-8", errors="replace").strip().splitlines()
        return lines[-1] if lines else "it said nothing"

    def _read(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            of: dict[str, Any] = json.loads(line)
            if of["published"]:
                self.published = of["resolved"]
            if of["seconds"].get("stage") is not None:
                what = "published" if of["published"] else "staged"
                self._said(self.format, f"{of['messages']:,} messages {what}")
