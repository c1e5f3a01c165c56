"""Java programs that tests start, fetched once with Ivy, which pyspark ships, and kept in the user's cache."""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from tidewire.runtime.whole_files import locked

SECONDS = 900
"""How long one program may take to be fetched, and another process that fetches it is waited for."""
_SETTINGS = """\
<ivysettings>
  <settings defaultResolver="central"/>
  <resolvers><ibiblio name="central" m2compatible="true"/></resolvers>
</ivysettings>
"""
_WANTED = """\
<ivy-module version="2.0" xmlns:m="http://ant.apache.org/ivy/maven">
  <info organisation="tidewire" module="tests"/>
  <dependencies>
    <dependency org="{group}" name="{name}" rev="{version}" transitive="false" conf="default->default">
      <artifact name="{name}" type="tar.gz" ext="tar.gz" m:classifier="{classifier}"/>
    </dependency>
  </dependencies>
</ivy-module>
"""


class FetchError(Exception):
    """A program that tests need cannot be had; the text says what was tried and what to do."""


class Program(NamedTuple):
    """An archive of Maven Central, as tar.gz."""

    title: str
    group: str
    name: str
    version: str
    classifier: str
    size: str

    def __str__(self) -> str:
        return f"{self.title} ({self.group}:{self.name}:{self.version}, {self.size})"


def cache() -> Path:
    """The folder in which programs are kept."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tidewire"


def unpacked(program: Program, java: str) -> Path:
    """The folder with what is in a program's archive. Never written to.

    Args:
        program: is fetched if the cache does not have it.
        java: an executable, of Java 8 or newer.

    Raises:
        FetchError: it cannot be fetched.
    """
    place = cache() / f"{program.name}-{program.version}"
    if not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        with locked(place, SECONDS):
            if not place.exists():
                _fetch(program, java, place)
    return place


def _fetch(program: Program, java: str, place: Path) -> None:
    with tempfile.TemporaryDirectory(prefix=f"{place.name}.", dir=place.parent) as name:
        folder = Path(name)
        (folder / "settings.xml").write_text(_SETTINGS)
        (folder / "ivy.xml").write_text(_WANTED.format(**program._asdict()))
        command = [java, "-jar", str(_ivy()), "-settings", "settings.xml", "-ivy", "ivy.xml", "-cache", "cache"]
        command += ["-retrieve", "retrieved/[artifact].[ext]"]
        try:
            done = subprocess.run(
                command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS, check=False
            )
            said = done.stdout
        except subprocess.TimeoutExpired as error:
            said = (error.stdout or b"") + f"\nnot done after {SECONDS} s".encode()
        archive = folder / "retrieved" / f"{program.name}.tar.gz"
        if not archive.exists():
            # a line of progress has a dot for each piece
            lines = [line for line in said.decode(errors="replace").splitlines() if not line.startswith("..")]
            raise FetchError(
                f"{program} cannot be fetched from Maven Central, and tests start it. They need the network for it "
                f"once; afterwards it is in {place.parent}. Ivy says:\n" + "\n".join(lines[-15:])
            )
        fresh = folder / "unpacked"
        with tarfile.open(archive) as packed:
            packed.extractall(fresh, filter="data")
        shutil.move(fresh, place)


def _ivy() -> Path:
    spec = find_spec("pyspark")
    assert spec is not None
    assert spec.origin is not None
    (jar,) = Path(spec.origin).parent.glob("jars/ivy-*.jar")
    return jar
