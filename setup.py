"""The part of the build that pyproject.toml cannot express: the packages in the folders, and the compiled modules.

Every module in runtime/, generated/, messages/, reading/ and spark/ with a .pxd beside it is compiled, in Cython's
pure-Python mode, from copies that cython_sources.py makes. The results go to tidewire/runtime/_compiled with a
manifest; tidewire.runtime.switch decides at import whether they are used.

TIDEWIRE_BUILD selects the mode:
    auto    (the default) compile; on any failure print a sentence and build the package without compiled modules
    strict  likewise without a compiler, but sources that do not compile are an error
    pure    do not compile
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import shutil
import sys
import sysconfig
import tempfile
import threading
from hashlib import sha256
from importlib.metadata import version
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from setuptools import Distribution, Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

try:
    import tomllib
except ImportError:
    raise SystemExit(
        f"tidewire: Python 3.11 or newer is needed; {sys.executable} is {sys.version.split()[0]}"
    ) from None

ROOT = Path(__file__).resolve().parent
FOLDERS: dict[str, str] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"][
    "package-dir"
]
WORK = ROOT / "build" / "compiled"
COPIES = ROOT / "build" / "cython"
"""The copies for Cython."""
SUFFIX: str = sysconfig.get_config_var("EXT_SUFFIX")
DIRECTIVES = {
    "language_level": "3",
    "boundscheck": False,
    "wraparound": False,
    "cdivision": True,
    "nonecheck": False,
    "initializedcheck": False,
    "embedsignature": True,
    "warn.unreachable": False,  # code after a returning `if cython.compiled` is unreachable on purpose
}
SHARED = "tidewire.runtime.cython_shared"
"""Cython's support code, shared by all compiled modules."""
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
DENSE = ["-fno-align-functions", "-fno-align-jumps", "-fno-align-loops", "-fno-plt"]
"""A message runs through functions of some 25 modules, which share an instruction cache of 32 KB: without padding and
linkage tables between modules, Debezium is decoded in 0.85 of the time."""
CFLAGS = [] if sys.platform == "win32" else ["-O2", "-fwrapv", "-g0", *DENSE]
QUIET = [] if sys.platform == "win32" else ["-w"]
"""Suppresses compiler warnings about code that Cython generates; they do not affect the result."""


def packages() -> list[str]:
    """The five packages and all packages in their folders."""
    found = set(FOLDERS)
    for package, folder in FOLDERS.items():
        for marker in (ROOT / folder).rglob("__init__.py"):
            found.add(".".join((package, *marker.parent.relative_to(ROOT / folder).parts)))
    return sorted(found)


@functools.cache
def beside(path: str) -> ModuleType:
    """Imports a module from the folder of this file, before the package is installed."""
    spec = spec_from_file_location(f"_tidewire_{Path(path).stem}", ROOT / path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def switch() -> ModuleType:
    """The module that selects compiled or interpreted modules at import."""
    return beside(f"{FOLDERS['tidewire.runtime']}/switch.py")


@functools.cache
def sources() -> Any:
    """The compiled modules with everything that they are built from (CythonSources)."""
    folders = {name: str(ROOT / FOLDERS[name]) for name in switch().PACKAGES}
    return beside("cython_sources.py").CythonSources(switch(), folders)


def say(sentence: str) -> None:
    """Prints a line for the person who builds.

    pip hides the output of builds; if there is a terminal, the line is printed there, too.
    """
    line = f"tidewire: {sentence}\n"
    sys.stderr.write(line)
    sys.stderr.flush()
    if "PIP_BUILD_TRACKER" in os.environ and os.name == "posix":
        with contextlib.suppress(OSError), open(os.environ.get("TIDEWIRE_TERMINAL", "/dev/tty"), "a") as terminal:
            terminal.write("\r" + line)  # overwrites pip's spinner


class Progress:
    """Prints the number of compiled modules, about ten times in all."""

    def __init__(self, what: str, total: int) -> None:
        self.what = what
        self.total = total
        self.done = 0
        self.lock = threading.Lock()

    def advance(self) -> None:
        """Counts one more module."""
        with self.lock:
            before, self.done = self.done * 10 // self.total, self.done + 1
            if self.done * 10 // self.total > before and self.done < self.total:
                say(f"{self.done} of {self.total} {self.what}")


def trouble_with_compiler() -> str | None:
    """Why this machine cannot build extension modules, found by trying; None if it can."""
    try:
        import Cython  # noqa: F401
    except ImportError:
        return "Cython is not installed"
    return _trouble_with_c()


@functools.cache
def say_interpreted() -> None:
    """Prints once that there is no compiler, the consequence, and the remedy."""
    say(
        f"{trouble_with_compiler()}: the modules run interpreted, with the same results, about 100 times slower. "
        "Install gcc and Python's headers, then run make build (or pip install again)."
    )


@functools.cache
def _trouble_with_c() -> str | None:
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "probe.c")
        source.write_text("#include <Python.h>\nPyMODINIT_FUNC PyInit_probe(void) { return NULL; }\n")
        probe = build_ext(Distribution({"ext_modules": [Extension("probe", [str(source)])]}))
        probe.build_temp = probe.build_lib = folder
        spoken = os.dup(2), os.dup(1)
        quiet = os.open(os.devnull, os.O_WRONLY)
        try:
            os.dup2(quiet, 1)
            os.dup2(quiet, 2)
            probe.ensure_finalized()
            probe.run()
        except Exception:  # distutils, compiler and linker raise errors of their own
            return "there is no working C compiler with Python's headers"
        finally:
            os.dup2(spoken[0], 2)
            os.dup2(spoken[1], 1)
            for handle in (*spoken, quiet):
                os.close(handle)
    return None


def mode() -> str:
    """The value of TIDEWIRE_BUILD, validated."""
    chosen = os.environ.get("TIDEWIRE_BUILD", "auto")
    if chosen not in ("auto", "strict", "pure"):
        raise SystemExit(f"TIDEWIRE_BUILD={chosen} is unknown: auto, strict or pure")
    return chosen


class Compilation:
    """The modules to compile, each with a key that covers everything its result depends on."""

    def __init__(self) -> None:
        self.sources: dict[str, str] = sources().paths
        self.digests: dict[str, str] = {name: switch().digest(path) for name, path in self.sources.items()}
        self.modules: list[str] = [SHARED, *sources().modules] if sources().modules else []
        copied = switch().digest(ROOT / "cython_sources.py")
        self.base = json.dumps([version("cython"), DIRECTIVES, CFLAGS, SUFFIX, copied])

    def key(self, module: str) -> str:
        """A hash of the module, of all declarations that it cimports, and of the options."""
        digests = [(name, self.digests[name]) for name in self.depends(module)]
        return sha256((self.base + json.dumps(digests)).encode()).hexdigest()[:16]

    def changed(self, module: str) -> bool:
        """Whether a source of the module has changed since the build began."""
        paths = {name: self.sources[name] for name in self.depends(module)}
        return any(not os.path.exists(path) or switch().digest(path) != self.digests[n] for n, path in paths.items())

    def depends(self, module: str) -> list[str]:
        """The sources that a module depends on."""
        found: list[str] = [] if module == SHARED else sources().depends(module)
        return found

    def result(self, module: str) -> Path:
        """The path in the cache for the compiled module of exactly these sources."""
        return WORK / f"{module}-{self.key(module)}{SUFFIX}"

    def to_c(self, modules: list[str]) -> None:
        """Runs Cython on copies of the sources; raises CompileError after its report."""
        from Cython.Build import cythonize

        sources().write(COPIES)
        with contextlib.chdir(COPIES):  # file names in tracebacks are relative to this folder
            cythonize(  # type: ignore[no-untyped-call]
                [Extension(SHARED, []), *(Extension(one, [one.replace(".", "/") + ".py"]) for one in modules)],
                nthreads=CORES,
                force=True,
                quiet=True,
                build_dir=str(ROOT / "build" / "c"),
                include_path=["."],
                compiler_directives=DIRECTIVES,
                shared_utility_qualified_name=SHARED,
            )

    def manifest(self) -> str:
        """The text of manifest.json."""
        return json.dumps({"suffix": SUFFIX, "modules": self.modules, "sources": self.digests}, indent=1) + "\n"


class SourcesChangedError(Exception):
    """A source changed during the build; the result is discarded."""


class BuildCompiled(build_ext):
    """Compiles changed modules, in parallel on all cores, and puts the modules and their manifest in place."""

    def finalize_options(self) -> None:
        self.distribution.ext_modules = [
            Extension(one, [f"build/c/{one.replace('.', '/')}.c"], extra_compile_args=[*CFLAGS, *QUIET])
            for one in [SHARED, *sources().modules]
        ]
        super().finalize_options()
        self.written: list[str] = []

    def run(self) -> None:
        chosen = mode()
        if chosen == "pure":
            return
        in_place = bool(self.inplace or getattr(self, "editable_mode", False))
        target = ROOT / FOLDERS["tidewire.runtime"] if in_place else Path(self.build_lib, "tidewire", "runtime")
        target /= "_compiled"
        if trouble_with_compiler():
            say_interpreted()
            return
        try:
            (ROOT / "build").mkdir(exist_ok=True)
            with open(ROOT / "build" / "lock", "w") as lock:
                if os.name == "posix":
                    import fcntl

                    fcntl.flock(lock, fcntl.LOCK_EX)
                self.compile(target)
        except SourcesChangedError as error:
            say(f"{error}")
        except Exception as error:
            shutil.rmtree(target, ignore_errors=True)
            if chosen == "strict":
                raise SystemExit(f"{error}\ntidewire: the modules above do not compile; nothing was built") from error
            say(
                "compiling failed (TIDEWIRE_BUILD=strict says why): the modules run interpreted, with the same "
                "results, about 100 times slower"
            )

    def compile(self, target: Path) -> None:
        """Builds missing results, then fills `target`; the manifest is written last."""
        WORK.mkdir(parents=True, exist_ok=True)
        self.work = Compilation()
        if not self.work.modules:
            say("there are no modules to compile")
            return
        missing = [module for module in self.work.modules if not self.work.result(module).exists()]
        if missing:
            say(f"compiling {len(missing)} of {len(self.work.modules)} modules")
            self.work.to_c([one for one in missing if one != SHARED])
            self.progress = Progress("modules are compiled", len(missing))
            self.extensions = [extension for extension in self.extensions if extension.name in missing]
            in_place, self.inplace = self.inplace, False
            self.force, self.parallel, self.build_temp = True, CORES, str(WORK / "objects")
            super().run()
            self.inplace = in_place
        self.place(target)

    def build_extension(self, ext: Extension) -> None:
        """Runs the C compiler, and stores a complete result under its key."""
        super().build_extension(ext)
        if self.work.changed(ext.name):
            raise SourcesChangedError(
                f"the sources of {ext.name} changed while they were compiled: run make build again"
            )
        os.replace(self.get_ext_fullpath(ext.name), self.work.result(ext.name))
        self.progress.advance()

    def get_ext_fullpath(self, ext_name: str) -> str:
        return str(WORK / f"{ext_name}{SUFFIX}")

    def place(self, target: Path) -> None:
        """Copies the modules and the manifest to their place, and removes outdated ones. Files are replaced rather than
        overwritten, so that running processes keep the old ones.
        """
        target.mkdir(parents=True, exist_ok=True)
        manifest = target / "manifest.json"
        text = self.work.manifest()
        places = {module: target / f"{module}{SUFFIX}" for module in self.work.modules}
        self.written = [str(path) for path in (*places.values(), manifest)]
        results = {module: self.work.result(module) for module in places}
        stamp = target / "keys.json"
        keys = json.dumps({module: result.name for module, result in results.items()}, indent=1)
        self.written.append(str(stamp))
        if (
            manifest.exists()
            and stamp.exists()
            and (manifest.read_text(), stamp.read_text()) == (text, keys)
            and all(path.exists() for path in places.values())
        ):
            say(f"{len(places)} compiled modules are up to date")
            return
        manifest.unlink(missing_ok=True)
        for module, result in results.items():
            fresh = target / f"{module}.new"
            shutil.copy2(result, fresh)
            os.replace(fresh, places[module])
        kept = {str(path) for path in places.values()}
        for path in target.glob("*"):
            if str(path) not in kept:
                path.unlink()
        for path in WORK.glob(f"*{SUFFIX}"):
            if path not in results.values():
                path.unlink()
        stamp.write_text(keys)
        fresh = target / "manifest.new"
        fresh.write_text(text)
        os.replace(fresh, manifest)
        say(f"{len(places)} modules are compiled")

    def get_outputs(self) -> list[str]:
        return [] if self.inplace or getattr(self, "editable_mode", False) else self.written

    def get_output_mapping(self) -> dict[str, str]:
        return {}

    def get_source_files(self) -> list[str]:
        return []


class BuildPackages(build_py):
    """build_py that does not include modules of an earlier build in a wheel."""

    def run(self) -> None:
        if not getattr(self, "editable_mode", False):
            shutil.rmtree(Path(self.build_lib, "tidewire"), ignore_errors=True)
            # a wheel without extension modules is built without build_ext, which would have printed it
            if mode() != "pure" and trouble_with_compiler():
                say_interpreted()
        super().run()


class TidewireDistribution(Distribution):
    """Builds a wheel for this platform if modules are compiled, otherwise for all platforms."""

    def has_ext_modules(self) -> bool:
        return mode() != "pure" and trouble_with_compiler() is None


if __name__ == "__main__":
    for folder in FOLDERS.values():
        (ROOT / folder).mkdir(parents=True, exist_ok=True)
    setup(
        packages=packages(),
        distclass=TidewireDistribution,
        cmdclass={"build_ext": BuildCompiled, "build_py": BuildPackages},
    )
