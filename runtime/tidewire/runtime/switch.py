"""Decides at import whether the compiled modules or their sources are used; all of one kind.

The build (setup.py) puts the compiled modules into the folder ``_compiled`` beside this file with a manifest: Python's
version, module names, and the SHA-256 of every source. A mix of compiled and interpreted modules does not work, and
modules built from other sources would behave differently, so they are used only if everything matches the manifest.

Only the standard library is imported here, since setup.py loads this file by its path to write the manifest.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from importlib.abc import MetaPathFinder
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader, ModuleSpec
from importlib.util import find_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

FOLDER = "_compiled"
"""The folder of compiled modules and manifest, in tidewire/runtime."""
MANIFEST = "manifest.json"
REMEDY = "run make build"

PLUGINS = "tidewire.generator"
"""The package with plug-ins in its folders. Of these only the folders `runtime` in them have compiled modules, which
printed code calls.
"""
PACKAGES = ("tidewire", "tidewire.runtime", "tidewire.messages", "tidewire.reading", "tidewire.spark", PLUGINS)
"""The packages with compiled modules."""

_OTHER_PACKAGES = frozenset({"runtime", "messages", "reading", "generator", "spark", "cli", "__pycache__"})


class CompiledFinder(MetaPathFinder):
    """Finds compiled modules by full name, before their sources."""

    def __init__(self, files: dict[str, str]) -> None:
        self.files = files

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of the compiled module with that name; None if there is none."""
        file = self.files.get(fullname)
        return spec_from_file_location(fullname, file, loader=_Loader(fullname, file)) if file else None


class _Loader(ExtensionFileLoader):
    def create_module(self, spec: ModuleSpec) -> ModuleType:
        try:
            return super().create_module(spec)
        except ImportError as error:
            raise ImportError(
                f"the compiled module {self.path} cannot be loaded here: {error}. "
                f"Set TIDEWIRE_PURE=1 to run without compiled modules, or build them on this machine ({REMEDY})",
                name=spec.name,
                path=self.path,
            ) from error


def folders() -> dict[str, str]:
    """The folders of the packages, for `sources`; without packages that are not installed."""
    found = {}
    for package in PACKAGES:
        if package in sys.modules:
            found[package] = sys.modules[package].__path__[0]
        elif (spec := find_spec(package)) and spec.submodule_search_locations:
            found[package] = spec.submodule_search_locations[0]
    return found


def sources(folders: Mapping[str, str]) -> dict[str, str]:
    """The sources of the compiled modules: each .pxd in the packages' folders, and the .py beside it.

    Args:
        folders: folder of each of `PACKAGES`.

    Returns:
        Paths by name in the package, such as ``tidewire/runtime/arrow/columns.pxd``.
    """
    found: dict[str, str] = {}
    for package, folder in folders.items():
        if package == PLUGINS:
            found.update(_of_plugins(folder))
            continue
        apart = _OTHER_PACKAGES if "." not in package else frozenset({"__pycache__", FOLDER})
        found.update(_declared(folder, package.replace(".", "/"), apart))
    return found


def _of_plugins(folder: str) -> Iterator[tuple[str, str]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if os.path.isdir(own := os.path.join(entry.path, "runtime")):
                name = f"{PLUGINS.replace('.', '/')}/{entry.name}/runtime"
                yield from _declared(own, name, frozenset({"__pycache__"}))


def _declared(folder: str, name: str, apart: frozenset[str]) -> Iterator[tuple[str, str]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".pxd"):
                yield f"{name}/{entry.name}", entry.path
                if os.path.exists(source := entry.path[:-4] + ".py"):
                    yield f"{name}/{entry.name[:-4]}.py", source
            elif entry.name not in apart and entry.is_dir():
                yield from _declared(entry.path, f"{name}/{entry.name}", frozenset({"__pycache__"}))


def named(names: Iterable[str], folders: Mapping[str, str]) -> dict[str, str]:
    """The paths of these sources, as far as they exist; they include interpreted modules with numbers that C code uses.
    """
    found = {}
    for name in names:
        package = max((one for one in PACKAGES if name.startswith(one.replace(".", "/") + "/")), key=len)
        if package in folders and os.path.exists(path := os.path.join(folders[package], name[len(package) + 1 :])):
            found[name] = path
    return found


def digest(path: str) -> str:
    """SHA-256 of a file, in hex."""
    return sha256(Path(path).read_bytes()).hexdigest()


def install(folders: Mapping[str, str]) -> tuple[bool, str]:
    """Activates the compiled modules if they match the manifest. Returns whether it does, and the reason.

    Args:
        folders: folder of each of `PACKAGES`.
    """
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, CompiledFinder)]
    if os.environ.get("TIDEWIRE_PURE") == "1":
        return False, "pure: TIDEWIRE_PURE=1 is set"
    compiled = os.path.join(folders["tidewire.runtime"], FOLDER)
    try:
        with open(os.path.join(compiled, MANIFEST), encoding="utf-8") as file:
            manifest = json.load(file)
        suffix, modules, recorded = manifest["suffix"], manifest["modules"], manifest["sources"]
        present = sources(folders) | named(recorded, folders)
        if suffix not in EXTENSION_SUFFIXES:
            return False, f"pure: built for another Python ({suffix}); {REMEDY}"
        if trouble := _difference(recorded, present):
            return False, f"pure: stale, {trouble} since the build; {REMEDY}"
        files = {module: os.path.join(compiled, module + suffix) for module in modules}
        for path in files.values():
            if not os.path.exists(path):
                return False, f"pure: {FOLDER}/{os.path.basename(path)} is missing; {REMEDY}"
    except (FileNotFoundError, NotADirectoryError):
        return False, "pure: not built"
    except (OSError, ValueError, KeyError, TypeError) as error:
        return False, f"pure: {FOLDER}/{MANIFEST} cannot be used ({error}); {REMEDY}"
    sys.meta_path.insert(0, CompiledFinder(files))
    return True, "compiled"


def _difference(recorded: dict[str, str], present: dict[str, str]) -> str | None:
    """A description of the first difference from the manifest; None if there is none."""
    for name in sorted(recorded.keys() - present.keys()):
        return f"{name.removeprefix('tidewire/')} is gone"
    for name in sorted(present):
        path = Path(present[name])
        shown = f"{path.parent.name}/{path.name}"
        if name not in recorded:
            return f"{shown} was added"
        if digest(present[name]) != recorded[name]:
            return f"{shown} changed"
    return None
