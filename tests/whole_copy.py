"""A copy of the whole package: for what lays files over it, prints and compiles."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def copy_package(home: Path) -> None:
    """Fills a folder with everything that is printed from and built, without what is printed.

    Modules that are compiled already lie there too, so that only what is not the same is compiled.
    """
    for folder in ("runtime", "messages", "reading", "spark", "cli", "generator", "spec"):
        shutil.copytree(ROOT / folder, home / folder, ignore=shutil.ignore_patterns("_compiled", "__pycache__"))
    for file in ("setup.py", "cython_sources.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / file, home)
    kept = home / "build" / "compiled"
    kept.mkdir(parents=True)
    for path in (ROOT / "build" / "compiled").glob("tidewire.*.so"):
        (kept / path.name).symlink_to(path)


def print_package(home: Path) -> None:
    """What `make generate` does there, with the generator that is there."""
    run_python(
        home,
        *("-m", "tidewire.generator", "--spec", "spec", "--out", "generated/tidewire", "--pages", "docs"),
        path=home / "generator",
    )


def joined(home: Path) -> Path:
    """A folder with the package in one piece, as an installed one is: links to its parts in the source roots of a copy.

    The environment of the tests has the original installed, and would take the parts from there that a path lacks.
    """
    package = home / "build" / "joined" / "tidewire"
    package.mkdir(parents=True, exist_ok=True)
    for part in [*home.glob("generated/tidewire/*"), *home.glob("*/tidewire/*/")]:
        if part.name != "__pycache__" and not (package / part.name).is_symlink():
            (package / part.name).symlink_to(os.path.relpath(part, package))
    return package.parent


def compile_package(home: Path) -> Path:
    """What `make build` does there, but C is not optimized: the folder in which the package then is."""
    compiler = home / "build" / "cc"
    compiler.write_text(f'#!/bin/sh\nexec {os.environ.get("CC", "cc")} "$@" -O0\n', encoding="utf-8")
    compiler.chmod(0o755)
    run_python(
        home, "setup.py", "--quiet", "build_ext", "--inplace", given={"TIDEWIRE_BUILD": "strict", "CC": str(compiler)}
    )
    return joined(home)


def run_python(home: Path, *arguments: str, path: Path | None = None, given: dict[str, str] | None = None) -> str:
    """What a Python there prints.

    Args:
        home: where it runs.
        arguments: of the interpreter.
        path: where it looks for the package first.
        given: more of its environment.
    """
    chosen = {**(given or {}), **({} if path is None else {"PYTHONPATH": str(path)})}
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=home,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **chosen},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
