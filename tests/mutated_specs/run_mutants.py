"""Runs in a process of its own, interpreted: prints changed specs, imports what was printed and uses it.

Arguments: a seed, how many changes of each spec, and the specs (all of them, where none is named). Prints as JSON how
many were refused, how many could be used, and what went wrong with the others, which is nothing. What primitives.yaml
calls the runtime's codecs is not changed: tests/test_codecs_of_the_runtime.py holds that these are there.
"""

from __future__ import annotations

import base64
import importlib
import importlib.abc
import importlib.util
import inspect
import json
import os
import random
import resource
import sys
import traceback
import warnings
from collections import Counter
from collections.abc import Sequence
from functools import cache, partial
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import recorded

from tidewire.generator import check
from tidewire.generator.load import Source
from tidewire.generator.plan.package import module_name
from tidewire.generator.plugins import plugin_of
from tidewire.generator.printing import print_files
from tidewire.generator.problems import report
from tidewire.messages.registry import MemorySchemas, SavedSchemas
from tidewire.runtime.errors import TidewireError

from .mutants import Mutants, read, written

HERE = Path(__file__).resolve().parent
SPEC = HERE.parent.parent / "spec"
PATHS = [*sorted(SPEC.glob("*.yaml")), HERE.parent / "outside_protocols" / "spec" / "maxwell.yaml"]
PROTOCOLS = [one.stem for one in PATHS if one.stem not in check.SHARED]
TOGETHER = dict.fromkeys(("avro", "debezium", "debezium-avro"), ("avro", "debezium", "debezium-avro"))
"""Protocols that name one another."""
SECONDS, BYTES = 60, 4 << 30
"""What a changed protocol may take."""
STREAMS, MESSAGES = 5, 5
"""How many streams of a protocol are read, and how many messages of each."""

SPEC_NAMES = {path.stem for path in SPEC.glob("*.yaml")}
DATA = {path.stem: read(path.name, path.read_bytes()) for path in PATHS}


class Stream(NamedTuple):
    """Recorded messages."""

    options: dict[str, str]
    schemas: Path | None
    """The file with their schemas."""
    sent: list[tuple[bytes | None, bytes | None]]
    """Keys and values."""


class Printed(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Modules that were printed, from memory."""

    def __init__(self, files: dict[str, str]) -> None:
        self.modules: dict[str, tuple[str, str, bool]] = {}
        for name, text in files.items():
            if name.endswith(".py") and name != "__init__.py":
                parts = name.removesuffix(".py").split("/")
                package = parts[-1] == "__init__"
                self.modules[".".join(("tidewire", *(parts[:-1] if package else parts)))] = (name, text, package)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None, /
    ) -> ModuleSpec | None:
        if fullname not in self.modules:
            return None
        return importlib.util.spec_from_loader(fullname, self, is_package=self.modules[fullname][2])

    def exec_module(self, module: ModuleType) -> None:
        name, text, _ = self.modules[module.__name__]
        exec(compile(text, name, "exec", dont_inherit=True), module.__dict__)


def streams(protocol: str) -> list[Stream]:
    """Some recorded streams of a protocol, and their first messages."""
    by_options: dict[tuple[str, str], list[Path]] = {}
    for path in recorded.every_stream(protocol) if protocol in SPEC_NAMES else ():
        by_options.setdefault((path.parts[-3], path.name), []).append(path)
    every = [same[number % len(same)] for number, same in enumerate(by_options.values())]
    found = []
    for path in every[:: -(-len(every) // STREAMS)] if every else ():
        head = recorded.header(path)
        lines = [json.loads(line) for line in path.read_bytes().split(b"\n")[1 : MESSAGES + 1] if line]
        sent = [(_bytes_of(one.get("key")), _bytes_of(one.get("value"))) for one in lines]
        schemas = path.with_suffix(".registry.json")
        options = {"producer": head["producer"], **{name: str(value) for name, value in head["options"].items()}}
        found.append(Stream(options, schemas if schemas.exists() else None, sent))
    return found


def _bytes_of(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text)


def made() -> list[Any]:
    """An event of every kind, of the classes that are printed now."""
    events, tables = (importlib.import_module(f"tidewire.{one}") for one in ("events", "tables"))
    columns = [events.Column("id", 8, 11, "bigint"), events.Column("a", 15, 64, "varchar(20)")]
    described = tables.TableDescription(
        *("s", "t", [tables.ColumnDescription("id", "bigint"), tables.ColumnDescription("a", "varchar", length=20)]),
        [tables.IndexDescription("primary", ("id",), True, True, False)],
        version=5,
    )
    new, old = {"id": 1, "a": "x"}, {"id": 1, "a": None}
    more: dict[str, Any] = {"columns": columns, "table_version": 5, "commit_ms": 7, "sent_ms": 9}
    return [
        events.Bootstrap(5, "s", "t", columns=columns, table_after=described),
        events.RowChange("insert", 7, "s", "t", new=new, **more),
        events.RowChange("update", 7, "s", "t", new=new, old=old, **more),
        events.RowChange("delete", 7, "s", "t", old=old, **more),
        events.Ddl(5, "s", "t", 3, "create table t (id int)", table_after=described),
        events.Ddl(5, "s", "t", 5, "alter table t add c int", table_before=described, table_after=described),
        events.Watermark(5),
    ]


class Attempts(Counter[str]):
    """What was tried, and how it ended."""

    def of(self, what: str, call: Any) -> Any:
        """What a call returns; None where it refuses, as only this package does."""
        try:
            result = call()
        except TidewireError as error:
            self[f"{what}: {type(error).__name__}"] += 1
            return None
        self[what] += 1
        return result


def use(protocol: str, sent: list[Stream], found: Attempts) -> None:
    """Decodes, dissects and encodes with the modules of a protocol."""
    module = importlib.import_module(f"tidewire.{protocol.replace('-', '_')}")
    names = set(module.Options.__dataclass_fields__)
    for options, schemas, messages in [*sent, Stream({}, None, [])]:
        known = {name: text for name, text in options.items() if name.replace("-", "_") in names}
        known |= {"encoding-format": "avro"} if not messages and "encoding_format" in names else {}
        chosen = found.of("options", partial(module.Options.from_strings, known)) or module.Options()
        given = {} if schemas is None else {"schemas": SavedSchemas(str(schemas))}
        decoder = module.Decoder(chosen, **given)
        events: list[Any] = []
        for key, value in messages:
            columns = found.of("decode", partial(decoder.decode, [value], [key]))
            if columns is not None:
                found["refused message"] += len(columns.errors)
                found["event"] += columns.num_events
                events += importlib.import_module("tidewire.events").Events(columns)
            found.of("dissect", partial(module.dissect, value, key))
        encode(module, chosen, events or made(), found)
    encode(module, module.Options(), made(), found)


def _has(call: Any, name: str) -> bool:
    return name in inspect.signature(call).parameters


def encode(module: Any, options: Any, events: list[Any], found: Attempts) -> None:
    """Writes each event by itself, reads it, and writes all of them together."""
    given: dict[str, Any] = {"schemas": MemorySchemas()} if _has(module.encode, "schemas") else {}
    could = []
    for event in events:
        messages = found.of("encode", partial(module.encode, [event], options, **given))
        if messages is None:
            continue
        could.append(event)
        for one in messages:
            found.of("decode ours", partial(module.decode, one.value, one.key, options, **given))
    found.of("encode all", partial(module.encode, could, options, **given))


def files_of(changed: dict[str, Any], protocol: str) -> tuple[dict[str, str] | None, str]:
    """What is printed of specs, or what is wrong with them."""
    stems = (*check.SHARED, *TOGETHER.get(protocol, (protocol,)))
    sources = [
        Source(f"spec/{one}.yaml", written(changed[one]) if one in changed else _unchanged(one)) for one in stems
    ]
    spec, problems = check.check_sources(sources, "spec")
    if spec is None:
        assert problems
        return None, report(problems)
    if set(changed) & set(check.SHARED):
        return print_files(spec), ""
    of = spec.protocols[protocol]
    plugin = plugin_of(of)
    return plugin.codec(plugin.context(spec, of), module_name(protocol)), ""


@cache
def _unchanged(stem: str) -> bytes:
    return written(DATA[stem])


@cache
def _plain(protocol: str) -> dict[str, str]:
    files, problems = files_of({check.SHARED[0]: DATA[check.SHARED[0]]}, protocol)
    assert files is not None, problems
    return files


def tried(stem: str, changed: Any, protocol: str, sent: list[Stream]) -> tuple[str, Any]:
    """What became of a changed spec: refused, the same, used, or broken."""
    try:
        files, said = files_of({stem: changed}, protocol)
    except Exception as error:
        return "broken", ["generator", _told(error)]
    if files is None:
        return ("refused", said) if said.replace("\n", "").isprintable() else ("broken", ["report", said])
    differing = {name: text for name, text in files.items() if text != _plain(protocol).get(name)}
    if not any(name.endswith(".py") for name in differing):
        return "same", None
    return in_a_child(protocol, files, sent)


def in_a_child(protocol: str, files: dict[str, str], sent: list[Stream]) -> tuple[str, Any]:
    """Uses modules in a process that can be lost."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
        resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
        attempts = Attempts()
        result: tuple[str, Any] = ("used", attempts)
        try:
            finder = Printed(files)
            for name in finder.modules:
                sys.modules.pop(name, None)
            sys.meta_path.insert(0, finder)
            use(protocol, sent, attempts)
        except BaseException as error:
            result = ("broken", ["use", _told(error)])
        with os.fdopen(writing, "w") as pipe:
            json.dump(result, pipe)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        text = pipe.read()
    _, status = os.waitpid(child, 0)
    what, more = json.loads(text) if text else ("broken", ["lost", f"status {status}"])
    return what, more


def _told(error: BaseException) -> str:
    """An error, and where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)[-3:]
    places = "; ".join(f"{one.filename[-50:]}:{one.lineno} {one.name}" for one in frames)
    return f"{type(error).__name__}: {error!s:.300} ({places})"


def main(seed: str, count: int, stems: list[str]) -> dict[str, Any]:
    """Tries so many changes of each spec."""
    warnings.simplefilter("ignore")
    results: Counter[str] = Counter()
    whole: Counter[str] = Counter()
    broken = []
    sent = {one: streams(one) for one in PROTOCOLS}
    for stem in stems or [one for one in DATA if one != "primitives"]:
        chance = random.Random(f"{seed} {stem}")
        mutants = Mutants(DATA[stem])
        for _ in range(count):
            done, changed = mutants.drawn(chance)
            protocol = stem if stem not in check.SHARED else chance.choice(PROTOCOLS)
            what, more = tried(stem, changed, protocol, sent[protocol])
            results[what] += 1
            if what == "used":
                whole.update(more)
            if what == "broken":
                broken.append([stem, protocol, done, *more])
                print(stem, protocol, done, *more, file=sys.stderr, flush=True)
    return {"results": results, "attempts": whole, "broken": broken}


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], int(sys.argv[2]), sys.argv[3:]), indent=1))
