"""What Cython compiles: copies of the sources in which names of C are cimported. setup.py calls it.

A source imports everything as Python does: `from tidewire.runtime.json.text import JsonText, passed`. Compiled, calls
between modules are calls of C only for names that are cimported. So in the copy

- what the other module's .pxd declares for C (functions, constants, variables, structs) is cimported. Classes are
  imported, as objects; their own .pxd cimports what it needs of their types;
- numbers that an interpreted module names (`QUOTE: Final = 34`) are constants of C, from a .pxd made here;
- what a module plain_NAME defines for the interpreter is cimported from the .pxd of NAME, which has it for C;
- `from tidewire.runtime import cython` is the module that Cython knows as `cython`;
- numbers that the module's own .pxd has as an enum are left out.

Lines keep their numbers, so that tracebacks fit the sources.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

CYTHON = "tidewire.runtime.cython"
PLAIN = "plain_"
"""Begins the names of modules whose functions compiled modules have from a .pxd of the rest of the name."""


def numbers(text: str) -> dict[str, int]:
    """The numbers that a module names: `ONE: Final = 1`, and `(ONE, TWO) = range(2)`."""
    found: dict[str, int] = {}
    for name, number in re.findall(r"^(\w+): Final = (-?\d+)$", text, re.MULTILINE):
        found[name] = int(number)
    for names in re.findall(r"^\(([\w\s,]+)\) = range\(\d+\)$", text, re.MULTILINE):
        found.update({name: number for number, name in enumerate(re.findall(r"\w+", names))})
    return found


IMPORTED = re.compile(
    r"^\s*from (?:cython\.cimports\.)?(tidewire[\w.]*) c?import (\([^)]*\)|.*)", re.MULTILINE
)


class Declared:
    """What a .pxd declares for C."""

    def __init__(self, text: str, name: str) -> None:
        from Cython.Compiler import Nodes
        from Cython.Compiler.TreeFragment import parse_from_strings

        self.nodes = Nodes
        self.enums: set[str] = set()
        self.others: set[str] = set()
        tree: Any = parse_from_strings(name, text, level="module_pxd")  # type: ignore[no-untyped-call]
        self._take(tree.body)

    def _take(self, node: object) -> None:
        n = self.nodes
        if isinstance(node, n.StatListNode):
            for one in node.stats:
                self._take(one)
        elif isinstance(node, n.CDefExternNode):
            self._take(node.body)
        elif isinstance(node, n.CEnumDefNode):
            self.enums.update(item.name for item in node.items)
        elif isinstance(node, n.CStructOrUnionDefNode):
            self.others.add(node.name)
        elif isinstance(node, n.CTypeDefNode):
            self.others.add(_declared_name(node.declarator))
        elif isinstance(node, n.CVarDefNode):
            self.others.update(map(_declared_name, node.declarators))
        elif isinstance(node, n.CFuncDefNode):
            self.others.add(_declared_name(node.declarator))


def _declared_name(declarator: Any) -> str:
    while not hasattr(declarator, "name"):
        declarator = declarator.base
    return str(declarator.name)


class CythonSources:
    """The modules that are compiled, and the copies of them that Cython gets.

    Args:
        switch: runtime/switch.py.
        folders: of the packages that have compiled modules, as it has them.
    """

    def __init__(self, switch: Any, folders: Mapping[str, str]) -> None:
        self.switch = switch
        self.folders = folders
        self.known: dict[str, Declared] = {}
        self.paths: dict[str, str] = switch.sources(folders)
        """Sources by their names in the package, with slashes and ending: modules that are compiled, each .pxd, and the
        interpreted modules from which they have numbers."""
        self.modules = sorted(name[:-3].replace("/", ".") for name in self.paths if name.endswith(".py"))
        """Those that are compiled, with dots."""
        self.compiled = frozenset(self.modules)
        self.texts = {name: Path(path).read_text(encoding="utf-8") for name, path in self.paths.items()}
        self.reached = {name: self._reached(text) for name, text in self.texts.items()}
        """The modules that a source imports or cimports something of."""
        self.made = self._made()
        """The .pxd of each interpreted module that names numbers."""

    def _reached(self, text: str) -> set[str]:
        found = set()
        for module, names in IMPORTED.findall(text):
            found.add(module)
            found.update(f"{module}.{name}" for name in re.findall(r"(\w+)(?: as \w+)?", names))
        return found | set(re.findall(r"^cimport (tidewire[\w.]*)", text, re.MULTILINE))

    def _made(self) -> dict[str, str]:
        made = {}
        for module in sorted(set().union(*self.reached.values())):
            name = module.replace(".", "/")
            if module == "tidewire" or module in self.compiled or f"{name}.pxd" in self.paths:
                continue
            for file, path in self.switch.named([f"{name}.py"], self.folders).items():
                text = Path(path).read_text(encoding="utf-8")
                if found := numbers(text):
                    self.paths[file] = path
                    made[f"{name}.pxd"] = "cdef enum:\n" + "".join(f"    {one} = {n}\n" for one, n in found.items())
        return made

    def write(self, folder: Path) -> None:
        """Makes `folder` hold the copies, and nothing else; leaves those that are right alone."""
        wanted = self.made | {name: text for name, text in self.texts.items() if name.endswith(".pxd")}
        wanted |= {f"{module.replace('.', '/')}.py": self.copy(module) for module in self.modules}
        packages = {"/".join(name.split("/")[:depth]) for name in wanted for depth in range(1, name.count("/") + 1)}
        wanted |= {f"{package}/__init__.py": "" for package in packages if f"{package}/__init__.py" not in wanted}
        for path in folder.rglob("*.p*"):
            if path.relative_to(folder).as_posix() not in wanted:
                path.unlink()
        for name, text in wanted.items():
            path = folder / name
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")

    def declared(self, module: str) -> Declared:
        """What the module's .pxd declares, nothing when it has none."""
        if module not in self.known:
            name = module.replace(".", "/") + ".pxd"
            self.known[module] = Declared(self.made.get(name, self.texts.get(name, "")), module)
        return self.known[module]

    def depends(self, module: str) -> list[str]:
        """The sources of a module: its own, and all from which it has something of C."""
        own = module.replace(".", "/")
        found = {f"{own}.py"}
        todo = [f"{own}.py", f"{own}.pxd"]
        while todo:
            name = todo.pop()
            source = name if name in self.paths else name.replace(".pxd", ".py") if name in self.made else ""
            if not source or (source in found and name != f"{own}.py"):
                continue
            found.add(source)
            for one in self.reached.get(name, ()):
                package, _, last = one.rpartition(".")
                todo += [f"{one.replace('.', '/')}.pxd", f"{package.replace('.', '/')}/{last.removeprefix(PLAIN)}.pxd"]
        return sorted(found)

    def copy(self, module: str) -> str:
        """A module as Cython gets it."""
        text = self.texts[module.replace(".", "/") + ".py"]
        lines = text.split("\n")
        own = self.declared(module).enums
        tree = ast.parse(text)
        used: dict[str, set[str]] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                used.setdefault(node.value.id, set()).add(node.attr)
        for node in tree.body:
            if isinstance(node, ast.ImportFrom):
                new = self._imported(node, used)
            elif isinstance(node, ast.Assign | ast.AnnAssign) and own & _assigned(node):
                new = ""
            else:
                continue
            if new is not None:
                end = node.end_lineno or node.lineno
                lines[node.lineno - 1 : end] = [new] + [""] * (end - node.lineno)
        return "\n".join(lines)

    def _imported(self, node: ast.ImportFrom, used: Mapping[str, set[str]]) -> str | None:
        """The imports of Cython's for one of Python's; `used` are the attributes of each name in the source."""
        module = node.module or ""
        if not module.startswith("tidewire"):
            return None
        package, _, last = module.rpartition(".")
        of_c = f"{package}.{last.removeprefix(PLAIN)}" if module not in self.compiled else module
        declared = self.declared(of_c)
        found: dict[str, list[str]] = {}
        for alias in node.names:
            bound = alias.asname or alias.name
            name = alias.name if bound == alias.name else f"{alias.name} as {bound}"
            whole = f"{module}.{alias.name}"
            if whole == CYTHON:
                found.setdefault("import cython", [])
            elif alias.name in declared.enums | declared.others:
                found.setdefault(f"from cython.cimports.{of_c} import ", []).append(name)
            elif whole not in self.compiled and used.get(bound, {""}) <= self.declared(whole).enums:
                found.setdefault(f"from cython.cimports.{module} import ", []).append(name)
            else:
                found.setdefault(f"from {module} import ", []).append(name)
        return "; ".join(start + ", ".join(names) for start, names in found.items())


def _assigned(node: ast.Assign | ast.AnnAssign) -> set[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return {one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)}
