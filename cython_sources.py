"""Prepares the sources for Cython: copies in which names for C are cimported. Called by setup.py.

A source imports everything as in Python: `from tidewire.runtime.json.text import JsonText, passed`. In compiled code, a
call between modules is a C call only if the name is cimported. So in the copy

- what the other module's .pxd declares for C (functions, constants, variables, structs) is cimported. Classes are
  imported as objects; the module's own .pxd cimports the types that it needs;
- numbers that an interpreted module names (`QUOTE: Final = 34`) become constants of C, by a .pxd generated here;
- functions that a module plain_NAME defines for the interpreter are cimported from the .pxd of NAME, the C counterpart;
- `from tidewire.runtime import cython` becomes Cython's own module `cython`;
- numbers that the module's own .pxd has as an enum are left out.

Line numbers stay the same, so that tracebacks match the sources.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

CYTHON = "tidewire.runtime.cython"
PLAIN = "plain_"
"""The prefix of interpreted modules whose functions compiled modules cimport from the .pxd of the name without it."""


def numbers(text: str) -> dict[str, int]:
    """The numbers that a module defines: `ONE: Final = 1`, and `(ONE, TWO) = range(2)`."""
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
    """The C declarations of a .pxd."""

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
    """The compiled modules, and the copies of them for Cython.

    Args:
        switch: the module tidewire.runtime.switch.
        folders: folders of the packages with compiled modules, as for `switch.sources`.
    """

    def __init__(self, switch: Any, folders: Mapping[str, str]) -> None:
        self.switch = switch
        self.folders = folders
        self.known: dict[str, Declared] = {}
        self.paths: dict[str, str] = switch.sources(folders)
        """Source paths by name in the package, with slashes and ending: compiled modules, each .pxd, and interpreted
        modules with numbers for them.
        """
        self.modules = sorted(name[:-3].replace("/", ".") for name in self.paths if name.endswith(".py"))
        """Names of the compiled modules, with dots."""
        self.compiled = frozenset(self.modules)
        self.texts = {name: Path(path).read_text(encoding="utf-8") for name, path in self.paths.items()}
        self.reached = {name: self._reached(text) for name, text in self.texts.items()}
        """The modules from which a source imports or cimports."""
        self.made = self._made()
        """The generated .pxd of each interpreted module with numbers."""

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
        """Writes the copies to `folder` and removes everything else; unchanged copies are not rewritten."""
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
        """The declarations of the module's .pxd; empty if it has none."""
        if module not in self.known:
            name = module.replace(".", "/") + ".pxd"
            self.known[module] = Declared(self.made.get(name, self.texts.get(name, "")), module)
        return self.known[module]

    def depends(self, module: str) -> list[str]:
        """The sources that a module depends on: its own, and all that it cimports from."""
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
        """The copy of a module."""
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
        """The cimport statement for an import; None if it stays an import. `used` are the attributes of each name in
        the source.
        """
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
