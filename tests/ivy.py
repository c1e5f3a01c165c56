"""Java programs that tests start, and jars that Spark takes: fetched once with Ivy, which pyspark ships, and kept in
the user's cache.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Callable
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
      {artifact}
    </dependency>
  </dependencies>
</ivy-module>
"""


class FetchError(Exception):
    """A program that tests need cannot be had; the text says what was tried and what to do."""


class Jar(NamedTuple):
    """A jar of Maven Central, without those that it needs."""

    title: str
    group: str
    name: str
    version: str
    size: str

    def __str__(self) -> str:
        return f"{self.title} ({self.group}:{self.name}:{self.version}, {self.size})"


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

    def unpack(archive: Path) -> Path:
        fresh = archive.parent / "unpacked"
        with tarfile.open(archive) as packed:
            packed.extractall(fresh, filter="data")
        return fresh

    artifact = f'<artifact name="{program.name}" type="tar.gz" ext="tar.gz" m:classifier="{program.classifier}"/>'
    wanted = _WANTED.format(group=program.group, name=program.name, version=program.version, artifact=artifact)
    return _kept(program, f"{program.name}-{program.version}", f"{program.name}.tar.gz", wanted, java, unpack)


def fetched(jar: Jar, java: str) -> Path:
    """A jar's file. Never written to.

    Args:
        jar: is fetched if the cache does not have it.
        java: as above.

    Raises:
        FetchError: it cannot be fetched.
    """
    wanted = _WANTED.format(group=jar.group, name=jar.name, version=jar.version, artifact="")
    return _kept(jar, f"{jar.name}-{jar.version}.jar", f"{jar.name}.jar", wanted, java, lambda file: file)


def _kept(
    what: Program | Jar, place_name: str, file: str, wanted: str, java: str, made: Callable[[Path], Path]
) -> Path:
    """What is kept of an artifact: its place in the cache.

    Args:
        what: the artifact, for errors.
        place_name: what it is called in the cache.
        file: what Ivy calls it.
        wanted: what Ivy is told.
        java: an executable.
        made: makes what is kept of the file that was fetched, in the same folder.
    """
    place = cache() / place_name
    if not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        with locked(place, SECONDS):
            if not place.exists():
                with tempfile.TemporaryDirectory(prefix=f"{place.name}.", dir=place.parent) as name:
                    shutil.move(made(_fetch(what, Path(name), file, wanted, java)), place)
    return place


def _fetch(what: Program | Jar, folder: Path, file: str, wanted: str, java: str) -> Path:
    (folder / "settings.xml").write_text(_SETTINGS)
    (folder / "ivy.xml").write_text(wanted)
    command = [java, "-jar", str(_ivy()), "-settings", "settings.xml", "-ivy", "ivy.xml", "-cache", "cache"]
    command += ["-retrieve", "retrieved/[artifact].[ext]"]
    try:
        done = subprocess.run(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS, check=False
        )
        said = done.stdout
    except subprocess.TimeoutExpired as error:
        said = (error.stdout or b"") + f"\nnot done after {SECONDS} s".encode()
    found = folder / "retrieved" / file
    if not found.exists():
        # a line of progress has a dot for each piece
        lines = [line for line in said.decode(errors="replace").splitlines() if not line.startswith("..")]
        raise FetchError(
            f"{what} cannot be fetched from Maven Central, and tests need it. They need the network for it once; "
            f"afterwards it is in {cache()}. Ivy says:\n" + "\n".join(lines[-15:])
        )
    return found


def _ivy() -> Path:
    spec = find_spec("pyspark")
    assert spec is not None
    assert spec.origin is not None
    (jar,) = Path(spec.origin).parent.glob("jars/ivy-*.jar")
    return jar
