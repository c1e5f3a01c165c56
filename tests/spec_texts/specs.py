"""Specs with modified texts: parsed as data, changed at some uses of words, written as YAML again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tidewire.generator import check, meta
from tidewire.generator.load import Source, load
from tidewire.generator.model import Spec
from tidewire.generator.problems import Problem

from .words import Use, Words

ROOT = Path(__file__).resolve().parents[2]
SHARED = check.SHARED


def files() -> dict[str, Any]:
    """The shared files, the protocols of spec/ and those that use every word, as data by stem."""
    paths = [*(ROOT / "spec").glob("*.yaml"), *(ROOT / "tests" / "spec_every_word").glob("*.yaml")]
    found = {}
    for path in sorted(paths):
        top, problems = load(Source(path.name, path.read_bytes()))
        assert top is not None, path
        assert not problems, path
        found[path.stem] = one = top.plain()
        _WRITTEN[id(one)] = (one, yaml(one).encode())
    return found


def schema_of(stem: str) -> str:
    """The meta schema of a file."""
    return stem if stem in SHARED else meta.PROTOCOL


def uses(data: Mapping[str, Any]) -> dict[str, list[tuple[str, Use]]]:
    """Every word with its uses: the file's stem and where."""
    found: dict[str, list[tuple[str, Use]]] = {}
    for stem, one in data.items():
        for use in dict.fromkeys(Words(schema_of(stem)).uses(one)):
            found.setdefault(use.word, []).append((stem, use))
    return found


def changed(data: Any, texts: Mapping[tuple[str | int, ...], str], path: tuple[str | int, ...] = ()) -> Any:
    """The data with these values; itself where there are none."""
    if not texts:
        return data
    if path in texts:
        return texts[path]
    if isinstance(data, dict):
        return {key: changed(below, texts, (*path, key)) for key, below in data.items()}
    if isinstance(data, list):
        return [changed(below, texts, (*path, at)) for at, below in enumerate(data)]
    return data


def renamed(data: Any, names: Mapping[str, str]) -> Any:
    """The data with other names wherever these stand; itself where none stands."""
    if isinstance(data, dict):
        made = {renamed(key, names): renamed(below, names) for key, below in data.items()}
        same = all(key in data and data[key] is below for key, below in made.items())
        return data if same else made
    if isinstance(data, list):
        listed = [renamed(below, names) for below in data]
        return data if all(one is other for one, other in zip(data, listed, strict=True)) else listed
    return names.get(data, data) if isinstance(data, str) else data


def yaml(data: Any, indent: int = 0) -> str:
    """Data as YAML, every text in quotes, every key on a line of its own."""
    space = " " * indent
    if isinstance(data, dict):
        if not data:
            return "{}"
        return "".join(f"\n{space}{_quoted(key)}: {yaml(below, indent + 1)}" for key, below in data.items())
    if isinstance(data, list):
        return "[" + ", ".join(_flow(one) for one in data) + "]"
    return _flow(data)


def _flow(data: Any) -> str:
    if isinstance(data, dict):
        return "{" + ", ".join(f"{_quoted(key)}: {_flow(below)}" for key, below in data.items()) + "}"
    if isinstance(data, list):
        return "[" + ", ".join(_flow(one) for one in data) + "]"
    if isinstance(data, str):
        return _quoted(data)
    return str(data).lower() if isinstance(data, bool) else str(data)


def _quoted(text: str) -> str:
    plain = (one if " " <= one <= "~" and one not in '"\\' else f"\\U{ord(one):08x}" for one in text)
    return '"' + "".join(plain) + '"'


_WRITTEN: dict[int, tuple[Any, bytes]] = {}
"""The data of `files` with their bytes, by where they are in memory: they stay there."""


def _written(data: Any) -> bytes:
    """Data as bytes of YAML. Most files of a test are as they came from `files`: nobody changes them in place."""
    kept = _WRITTEN.get(id(data))
    return kept[1] if kept else yaml(data).encode()


def checked(data: Mapping[str, Any]) -> tuple[Spec | None, list[Problem]]:
    """What the generator says of these files."""
    sources: Iterable[Source] = [Source(f"spec/{stem}.yaml", _written(one)) for stem, one in data.items()]
    return check.check_sources(sources, "spec")
