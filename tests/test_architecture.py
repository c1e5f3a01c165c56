"""Who may import whom, and that the machine knows no protocol by name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = {
    "generated": "tidewire",
    "runtime": "tidewire.runtime",
    "generator": "tidewire.generator",
    "messages": "tidewire.messages",
    "reading": "tidewire.reading",
    "spark": "tidewire.spark",
    "cli": "tidewire.cli",
}
MAY_IMPORT = {
    "generated": {"generated", "reading", "messages", "runtime"},
    "runtime": {"runtime"},
    "messages": {"messages", "runtime"},
    "generator": {"generator"},
    "reading": {"reading", "generated", "messages", "runtime"},
    "spark": {"spark", "reading", "generated", "messages", "runtime"},
    "cli": {"cli", "spark", "reading", "generated", "messages", "runtime", "generator"},
}
# What executors and users never need installed: other packages that only one folder may know.
ONLY_IN = {
    "jinja2": {"generator"},
    "yaml": {"generator"},
    "jsonschema": {"generator"},
    # of generated/ only schemas.py, which nothing but the Spark layer imports
    "pyspark": {"spark", "cli", "generated/tidewire/schemas.py"},
    "typer": {"cli"},
    "rich": {"cli", "spark"},
}
# Protocols, by every name they go by; the specs add theirs.
KNOWN_PROTOCOLS = ("craft", "canal", "canal-json", "debezium", "open protocol", "simple protocol", "maxwell")
# Encodings, which the machine may know though a protocol is called after one; and a word that is not always a name.
NO_PROTOCOLS = {"avro", "json", "binary", "protobuf", "simple"}


OF_CONTAINER = re.compile(r"tidewire\.generator\.\w+\.runtime\b")
"""What printed code calls of a container that is one folder of the generator: as what lies in `runtime/`."""


def owner(module: str) -> str | None:
    """The folder that a module of ours lives in, None for a module of others."""
    if OF_CONTAINER.match(module):
        return "runtime"
    best = [folder for folder, package in FOLDERS.items() if module == package or module.startswith(package + ".")]
    return max(best, key=lambda folder: len(FOLDERS[folder]), default=None)


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Line and absolute module of every import of a file, those in functions and behind TYPE_CHECKING too."""
    folder = path.relative_to(ROOT).parts[0]
    package = path.relative_to(ROOT / folder).parent.parts
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            module = ".".join(part for part in (base, node.module) if part)
            # `from tidewire import runtime` names the package in the list.
            yield from (
                (node.lineno, f"{module}.{alias.name}" if module == "tidewire" else module) for alias in node.names
            )


def cimports(path: Path) -> Iterator[tuple[int, str]]:
    """Line and module of every cimport of a .pxd."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if found := re.match(r"\s*(?:from\s+([\w.]+)\s+)?cimport\s+([\w.]+)", line):
            yield number, found[1] or found[2]


def unwanted(folder: str) -> list[str]:
    """The imports of a folder's files that it may not have, as place and reason."""
    found = []
    for path in sorted((ROOT / folder).rglob("*")):
        if path.suffix not in (".py", ".pxd"):
            continue
        inside = ".".join(path.relative_to(ROOT).parts[1:])
        folder = "runtime" if OF_CONTAINER.match(inside) else path.relative_to(ROOT).parts[0]
        for line, module in imports(path) if path.suffix == ".py" else cimports(path):
            target = owner(module.removeprefix("cython.cimports."))
            if target is not None and target not in MAY_IMPORT[folder]:
                found.append(f"{path.relative_to(ROOT)}:{line}: {folder} may not import {module} ({target})")
            allowed = ONLY_IN.get(module.split(".")[0], {folder})
            if folder not in allowed and path.relative_to(ROOT).as_posix() not in allowed:
                found.append(f"{path.relative_to(ROOT)}:{line}: {folder} may not import {module}")
    return found


@pytest.mark.parametrize("folder", FOLDERS)
def test_imports_stay_within_what_is_allowed(folder: str) -> None:
    assert list((ROOT / folder).rglob("*.py")), f"{folder}/ has no modules: the test looks in the wrong place"
    assert unwanted(folder) == []


def reached_from(start: list[Path]) -> set[Path]:
    """Files of printed code and of `runtime/` that the files import or cimport, and those that these import."""
    files = {
        ".".join(path.relative_to(ROOT / folder).with_suffix("").parts): path
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*.py")
    }
    waiting, reached = list(start), set[Path]()
    while waiting:
        path = waiting.pop()
        if path in reached:
            continue
        reached.add(path)
        names = set(re.findall(r"tidewire(?:\.\w+)+", "\n".join(module for _, module in cimports_beside(path))))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                module = node.module.removeprefix("cython.cimports.")
                names |= {module, f"{module}.__init__", *(f"{module}.{alias.name}" for alias in node.names)}
        # a package's own module is what users import: it knows everything
        waiting += [files[name] for name in names - {"tidewire.__init__"} if name in files]
    return reached


def cimports_beside(path: Path) -> list[tuple[int, str]]:
    """The cimports of the .pxd of a module, and of the .pxd without a module that it cimports."""
    declared = path.with_suffix(".pxd")
    return list(cimports(declared)) if declared.exists() else []


def test_runtime_is_what_printed_codecs_call() -> None:
    """They know nothing of `messages/`, and whatever lies in `runtime/` is reached from one of them."""
    printed = (ROOT / "generated").rglob("*.py")
    codecs = [path for path in printed if path.name not in ("__init__.py", "schemas.py")]
    reached = reached_from(codecs)
    assert {path.relative_to(ROOT).parts[0] for path in reached} == {"generated", "runtime"}
    modules = {path for path in RUNTIME.rglob("*.py") if path.name != "__init__.py"}
    assert sorted(path.relative_to(ROOT).as_posix() for path in modules - reached) == []


RUNTIME = ROOT / "runtime" / "tidewire" / "runtime"
# Wires stand beside each other: what two of them need lies in wire/, decoding/ or encoding/.
BELOW_WIRES = {"arrow", "batch", "tables", "wire"}
ROOMS: dict[str, set[str]] = {
    "wire": {"arrow"},
    "arrow": {"wire"},
    "tables": {"batch"},
    "batch": {"arrow", "tables", "wire"},
    "decoding": BELOW_WIRES,
    "encoding": BELOW_WIRES,
    "binary": {*BELOW_WIRES, "decoding", "encoding"},
    "record": {*BELOW_WIRES, "decoding", "encoding"},
    "json": {*BELOW_WIRES, "connect", "decoding", "encoding"},
    "connect": {*BELOW_WIRES, "json", "record"},
    "registry": set(),
    "registered": {*BELOW_WIRES, "connect", "decoding", "encoding", "json", "record", "registry"},
    "dissecting": {*BELOW_WIRES, "binary", "connect", "record", "registered", "registry"},
}
"""The folders of `runtime/`, and the others that each may import; all may import the modules beside the folders."""


def rooms_that(room: str, modules: Iterable[str]) -> set[str]:
    """The rooms, other than its own, that a room imports by these modules and may not."""
    inside = [module.removeprefix("cython.cimports.").split(".") for module in modules]
    reached = {parts[2] for parts in inside if parts[:2] == ["tidewire", "runtime"] and len(parts) > 2}
    return (reached & ROOMS.keys()) - ROOMS[room] - {room}


def test_rooms_of_the_runtime_import_those_below_them() -> None:
    folders = {path.parent.name for path in RUNTIME.glob("*/__init__.py")}
    assert folders - {"_compiled"} == ROOMS.keys()
    found = set()
    for path in sorted(RUNTIME.glob("*/*.p*")):
        room = path.parent.name
        if room in ROOMS and path.suffix in (".py", ".pxd"):
            modules = [module for _, module in (imports if path.suffix == ".py" else cimports)(path)]
            inside = path.relative_to(ROOT).as_posix()
            found |= {f"{inside}: {room} may not import {other}" for other in rooms_that(room, modules)}
    assert found == set()


def test_a_wire_that_imports_another_one_is_found() -> None:
    modules = ["tidewire.runtime.json.cursor", "cython.cimports.tidewire.runtime.wire.swar", "tidewire.runtime.errors"]
    assert rooms_that("record", modules) == {"json"}
    assert rooms_that("wire", ["tidewire.runtime.record.cursor"]) == {"record"}
    assert rooms_that("json", modules) == set()


def test_nothing_below_what_is_printed_imports_by_name() -> None:
    """An import by name would get around `MAY_IMPORT`. The generator finds its own plug-ins so, below its package."""
    by_name = {"import_module", "__import__", "resolve_name"}
    found = []
    for folder in ("runtime", "messages", "generator"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                called = node.func if isinstance(node, ast.Call) else None
                name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", None)
                if name in by_name:
                    found.append(f"{path.relative_to(ROOT).as_posix()}: {ast.unparse(node)}")
    assert found == ["generator/tidewire/generator/plugins.py: import_module(f'.{folder.name}.plugin', __package__)"]


def test_owner_tells_our_packages_apart() -> None:
    assert owner("tidewire") == "generated"
    assert owner("tidewire.craft.decoder") == "generated"
    assert owner("tidewire.runtime.binary.cursor") == "runtime"
    assert owner("tidewire.runtimes") == "generated"
    assert owner("tidewire.generator.tagged.runtime.reader") == "runtime"
    assert owner("tidewire.generator.tagged.reader") == "generator"
    assert owner("pyarrow") is None


def protocol_names() -> list[str]:
    """Names of protocols, from the specs and from the list above, in lower case."""
    names = set(KNOWN_PROTOCOLS)
    for path in (ROOT / "spec").glob("*.yaml"):
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
        if isinstance(content, dict) and isinstance(content.get("protocol"), str):
            names.add(content["protocol"].lower())
    return sorted(names - NO_PROTOCOLS)


def mentions(text: str, names: list[str]) -> list[tuple[int, str]]:
    """Line and name for each protocol name in a text, however it is joined: open_protocol, OpenProtocol."""
    patterns = {name: re.compile(r"[\W_]*".join(re.split(r"[\W_]+", name)), re.IGNORECASE) for name in names}
    return [
        (number, name)
        for number, line in enumerate(text.splitlines(), 1)
        for name, pattern in patterns.items()
        if pattern.search(line)
    ]


@pytest.mark.parametrize("folder", ["generator", "messages", "runtime"])
def test_the_machine_knows_no_protocol(folder: str) -> None:
    names = protocol_names()
    assert "craft" in names
    found = []
    for path in sorted((ROOT / folder).rglob("*")):
        if path.suffix in (".py", ".pxd", ".j2"):
            relative = path.relative_to(ROOT)
            found += [f"{relative}: named after {name}" for _, name in mentions(str(relative), names)]
            found += [
                f"{relative}:{line}: says {name}" for line, name in mentions(path.read_text(encoding="utf-8"), names)
            ]
    assert found == []


@pytest.mark.parametrize(
    "text", ["class OpenProtocolReader:", "open_protocol = 1", "if name == 'CRAFT':", "# as in Open-Protocol"]
)
def test_a_protocol_name_is_found_however_it_is_written(text: str) -> None:
    assert mentions(text, ["craft", "open protocol"])


STRUCTURAL = {"kind", "schema", "table"}
"""Fields that the batch of events itself is made of: a spec without them is refused."""
ROLES = {
    "generator/tidewire/generator/facts.py": "lists what fields can mean",
    "generator/tidewire/generator/build_facts.py": "reads words of mysql_types.yaml",
    "runtime/tidewire/runtime/batch/roles.py": "lists what fields can mean, too",
}


@pytest.mark.parametrize("folder", ["generator", "messages", "runtime"])
def test_the_machine_tests_no_field_by_its_name(folder: str) -> None:
    """What it knows of a field is what the field `means`."""
    fields = set(yaml.safe_load((ROOT / "spec" / "events.yaml").read_text(encoding="utf-8"))["fields"]) - STRUCTURAL
    assert {"query", "claim_check", "commit_ts"} <= fields
    found = []
    for path in sorted((ROOT / folder).rglob("*.py")):
        inside = path.relative_to(ROOT).as_posix()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if inside not in ROLES else ():
            if isinstance(node, ast.Constant) and node.value in fields:
                found.append(f"{inside}:{node.lineno}: says {node.value!r}")
    assert found == []


PLUGINS = {path.parent.name for path in (ROOT / "generator/tidewire/generator").glob("*/plugin.py")}


def test_nothing_of_the_generator_asks_which_plug_in_it_is() -> None:
    """A plug-in's modules are known to itself and to plug-ins that are built on it, as frames are on JSON objects; no
    other file names them, or compares plug-ins, wires or containers of values.
    """
    assert {"binary", "json", "frames"} <= PLUGINS
    names = "|".join(sorted(PLUGINS))
    found = []
    built_on: dict[str, set[str]] = {one: set() for one in PLUGINS}
    for path in sorted((ROOT / "generator/tidewire/generator").rglob("*.py")):
        inside = path.relative_to(ROOT / "generator/tidewire/generator").as_posix()
        here = next((one for one in PLUGINS if inside.startswith(f"{one}/")), None)
        for line, module in imports(path):
            plugin = next((one for one in PLUGINS if f"{module}.".startswith(f"tidewire.generator.{one}.")), None)
            if plugin is not None and here is None:
                found.append(f"{inside}:{line}: imports {module}")
            elif plugin is not None and plugin != here:
                built_on[str(here)].add(plugin)
        for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if re.search(r"\b(?:wire|container)\b[^\"']*[=!]=\s*[\"']|[\"'](?:" + names + r")[\"']\s*[=!]=", text):
                found.append(f"{inside}:{number}: compares a plug-in")
    assert found == []
    TopologicalSorter(built_on).prepare()  # raises for plug-ins that are built on one another


def test_files_of_tests_have_names_of_their_own() -> None:
    """A name in a report of failures says which file it is."""
    paths: dict[str, list[str]] = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        paths.setdefault(path.name, []).append(path.relative_to(ROOT).as_posix())
    assert [several for several in paths.values() if len(several) > 1] == []


@pytest.mark.parametrize("text", ["generator/containers/avro/read.py", "class AvroRecord:", "a simple loop", "json.py"])
def test_an_encoding_is_no_protocol(text: str) -> None:
    assert mentions(text, protocol_names()) == []


def modules() -> dict[str, Path]:
    """Our modules by name, packages included."""
    found = {}
    for folder in reversed(FOLDERS):  # the package itself is in the first
        for path in (ROOT / folder).rglob("*.py"):
            inside = path.relative_to(ROOT / folder).with_suffix("").parts
            if "_compiled" not in inside:
                found[".".join(inside[:-1] if inside[-1] == "__init__" else inside)] = path
    return found


def imported(path: Path, known: dict[str, Path]) -> set[str]:
    """The modules of ours that a file imports: anywhere in it, those of a package's list (`from . import x`) too."""
    bases_by_line: dict[int, set[str]] = {}
    for line, module in imports(path):
        bases_by_line.setdefault(line, set()).add(module)
    found = set().union(*bases_by_line.values())
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
        if isinstance(node, ast.ImportFrom):
            # a module that is named in the list is imported, and its package only held together
            bases = bases_by_line[node.lineno]
            named = {f"{base}.{alias.name}" for base in bases for alias in node.names} & set(known)
            found |= named
            if len(named) == len(node.names):
                found -= bases
    return found & set(known)


def cycles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Paths that lead from a module back to it, one for each module at which some are met."""
    done: set[str] = set()
    found = []

    def follow(module: str, path: list[str]) -> None:
        for target in sorted(graph[module]):
            if target in path:
                found.append([*path[path.index(target) :], target])
            elif target not in done:
                follow(target, [*path, target])
        done.add(module)

    for module in sorted(graph):
        if module not in done:
            follow(module, [module])
    return found


def test_no_modules_import_each_other() -> None:
    """Not even in functions or for types only: what two modules need of each other belongs into a third one."""
    known = modules()
    assert {"tidewire", "tidewire.spark.rows", "tidewire.runtime.json.cursor"} <= set(known)
    graph = {module: imported(path, known) - {module} for module, path in known.items()}
    assert "tidewire.spark.infer" in graph["tidewire.spark.rows"]
    assert [" -> ".join(path) for path in cycles(graph)] == []


def test_cycles_are_found() -> None:
    assert cycles({"a": {"b"}, "b": {"c", "d"}, "c": {"a"}, "d": set()}) == [["a", "b", "c", "a"]]
    assert cycles({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []
