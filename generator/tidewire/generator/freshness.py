"""Writes the printed files, and compares them with the existing ones: contents and the set of files."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from pathlib import Path


def _lying(directory: Path) -> dict[str, Path]:
    """The relevant files below a directory by path with slashes, without Python's caches."""
    if not directory.is_dir():
        return {}
    return {
        path.relative_to(directory).as_posix(): path
        for path in sorted(directory.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def write(directory: Path, files: Mapping[str, str]) -> list[str]:
    """Writes changed files, and removes files that no spec produces. Returns a line for each."""
    done: list[str] = []
    for name, path in _lying(directory).items():
        if name not in files:
            path.unlink()
            done.append(f"removed {named(directory)}/{name}")
            if not any(path.parent.iterdir()):
                path.parent.rmdir()
    return done + overwrite(directory, files)


def named(directory: Path) -> str:
    """The directory's path relative to the current one."""
    whole, here = directory.resolve(), Path.cwd()
    return whole.relative_to(here).as_posix() if whole.is_relative_to(here) and whole != here else directory.name


def overwrite(directory: Path, files: Mapping[str, str]) -> list[str]:
    """Writes changed files into a directory that also has other files. Returns a line for each."""
    done: list[str] = []
    for name, text in files.items():
        path = directory / name
        data = text.encode()
        if not path.is_file() or path.read_bytes() != data:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            done.append(f"wrote {named(directory)}/{name}")
    return done


def differences(directory: Path, files: Mapping[str, str]) -> str:
    """A unified diff of the directory's files and the printed ones; empty if they are equal."""
    return _differences(directory, files, _lying(directory))


def differs(directory: Path, files: Mapping[str, str]) -> str:
    """Like `differences`, for a directory that also has other files."""
    return _differences(directory, files, {name: path for name, path in _lying(directory).items() if name in files})


def _differences(directory: Path, files: Mapping[str, str], lying: Mapping[str, Path]) -> str:
    found: list[str] = []
    for name in sorted(set(lying) | set(files)):
        old = lying[name].read_bytes().decode(errors="replace") if name in lying else ""
        new = files.get(name, "")
        if name in lying and name in files and lying[name].read_bytes() == new.encode():
            continue
        there = f"{named(directory)}/{name}" if name in lying else "/dev/null"
        wanted = f"{named(directory)}/{name}" if name in files else "/dev/null"
        lines = list(difflib.unified_diff(old.splitlines(True), new.splitlines(True), there, wanted))
        found += lines or [f"{there} -> {wanted}\n"]
    return "".join(line if line.endswith("\n") else line + "\n" for line in found)
