"""Reads a synchronisation file and validates it with its JSON Schema (`sync.schema.json`)."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tidewire.cli.shell import CommandError
from tidewire.cli.sync_checks import APPLY, MAINTAIN, TIMEZONE, problems_of
from tidewire.cli.sync_values import SyncFile

if TYPE_CHECKING:
    from tidewire.generator.load import YamlNode
    from tidewire.generator.problems import Problem

_READ = ("startingOffsets", "maxOffsetsPerTrigger", "failOnDataLoss", "subscribe", "subscribePattern", "assign")


def read_sync_file(path: str, reads: bool = False) -> SyncFile:
    """Reads a file.

    Args:
        reads: whether messages will be read; a source without messages is then refused.

    Raises:
        CommandError: it cannot be read, or is invalid; the text names the place.
    """
    top = _read(path)
    from tidewire.generator.problems import problem

    of: dict[str, Any] = top.plain()
    source, into, apply = of["source"], of["into"], of.get("apply", {})
    kafka = {name: _text(value) for name, value in source.items() if name.startswith("kafka.") or name in _READ}
    if bool(kafka) == ("files" in source):
        both = problem(top["source"].location, "has either files, or kafka.bootstrap.servers and subscribe")
        _refuse_if([both])
    options: dict[str, Any] = {name: _text(value) for name, value in source.get("options", {}).items()}
    if TIMEZONE in source:
        options[TIMEZONE] = source[TIMEZONE]
    options |= {option: apply[name] for name, option in APPLY.items() if name in apply}
    options |= {option: of["maintain"][name] for name, option in MAINTAIN.items() if name in of.get("maintain", {})}
    found = SyncFile(
        kafka,
        source.get("files"),
        source.get("protocol"),
        f"{into['format']}:{into['table']}",
        of.get("tables", {"*.*": {}}),
        of["state"],
        options,
        str(apply.get("every", "10s")),
        {name: _text(value) for name, value in of.get("spark", {}).items()},
        into.get("warehouse"),
        f"{into['format']}:{into['history']}" if "history" in into else None,
        path,
        of.get("verify", {}),
        into.get("catalog"),
    )
    _refuse_if(problems_of(found, top, reads))
    return found


def _read(path: str) -> YamlNode:
    """The parsed file, if its structure is valid."""
    try:
        from tidewire.generator.load import Source, load
        from tidewire.generator.meta import validate_by
    except ImportError as error:
        raise CommandError(
            f"tidewire sync reads a YAML file, for which {error.name} is needed: pip install pyyaml jsonschema"
        ) from None
    try:
        text = Path(path).read_bytes()
    except FileNotFoundError:
        files_there = sorted(one.name for one in Path(path).parent.glob("*.y*ml"))
        near = difflib.get_close_matches(Path(path).name, files_there, 1)
        hint = f": did you mean {Path(path).with_name(near[0])}?" if near else ""
        raise CommandError(f"there is no file {path}{hint}") from None
    if not text.strip():
        raise CommandError(f"{path}: the file is empty; needed are source, into and state")
    top, problems = load(Source(path, text))
    if top is not None and not problems and not isinstance(top.value, Mapping):
        raise CommandError(f"{path}: this is no mapping; needed is one with source, into and state")
    if top is not None and not problems:
        problems = validate_by(top, json.loads(files("tidewire.cli").joinpath("sync.schema.json").read_text()))
    _refuse_if(problems)
    assert top is not None
    return top


def _refuse_if(problems: list[Problem]) -> None:
    """Refuses a file with problems.

    Raises:
        CommandError: there are problems; each is listed with its line.
    """
    from tidewire.generator.problems import report

    if problems:
        first, *others = report(map(_without_secret, problems)).splitlines()
        raise CommandError(first, others)


def _without_secret(one: Problem) -> Problem:
    """A problem, without the value if it may be a secret."""
    from tidewire.spark.sync.kafka import SECRET

    if not SECRET.search(one.path) or one.text.startswith(("unknown key", "the key")):
        return one
    return replace(one, text="the value is no plain text", remedy="Put quotes around it.")


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
