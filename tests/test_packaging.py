"""The build, the switch between compiled modules and their sources, and what a wheel holds, on a toy of two modules."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from whole_copy import joined

import tidewire
from tidewire import runtime
from tidewire.runtime import cython, switch
from tidewire.runtime.arrow import memory

pytestmark = pytest.mark.whole

ROOT = Path(__file__).resolve().parent.parent

TOY = {
    "README.md": "# Toy\n",
    "generated/tidewire/__init__.py": "import tidewire.runtime\n",
    "generated/tidewire/toy/__init__.py": "",
    "generated/tidewire/toy/reader.py": """from __future__ import annotations

from tidewire.runtime import cython, require_api
from tidewire.runtime.counter import Counter

require_api(1)


class Reader(Counter):
    def total(self, values: list) -> cython.longlong:
        value: cython.longlong
        for value in values:
            self.add(value)
        return self.count
""",
    "generated/tidewire/toy/reader.pxd": """from tidewire.runtime.counter cimport Counter

cdef class Reader(Counter):
    cpdef long long total(self, list values) except? -1
""",
    "runtime/tidewire/runtime/counter.py": """from __future__ import annotations

from tidewire.runtime import cython
from tidewire.runtime.step import STEP


class Counter:
    def __init__(self) -> None:
        self.count = 0

    def add(self, value: cython.longlong) -> cython.int:
        self.count += value * STEP
        return 0
""",
    "runtime/tidewire/runtime/counter.pxd": """cdef class Counter:
    cdef public long long count
    cdef int add(self, long long value) except -1
""",
    "runtime/tidewire/runtime/step.py": "from typing import Final\n\nSTEP: Final = 3\n",
    "generator/tidewire/__init__.py": "",
    "generator/tidewire/generator/__init__.py": "",
    "generator/tidewire/generator/__main__.py": "print('generator runs')\n",
    "messages/tidewire/messages/__init__.py": "",
    "reading/tidewire/reading/__init__.py": "",
    "spark/tidewire/spark/__init__.py": "",
    "spark/tidewire/spark/kernels/__init__.py": "",
    "spark/tidewire/spark/kernels/doubling.py": """from __future__ import annotations

from tidewire.runtime import cython


def doubled(value: cython.longlong) -> cython.longlong:
    return 2 * value
""",
    "spark/tidewire/spark/kernels/doubling.pxd": "cpdef long long doubled(long long value) except? -1\n",
    "cli/tidewire/cli/__init__.py": "",
}
LOOK = (
    "import json, tidewire.runtime as r, tidewire.runtime.counter as c, tidewire.toy.reader as t; "
    "print(json.dumps([r.compiled_reason, t.Reader().total([1, 2, 3]), t.Reader().count, c.__file__, t.__file__]))"
)
COMPILED = "runtime/tidewire/runtime/_compiled"
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check"]


def run(*command: str | Path, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """A command in a folder, with what it printed."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("TIDEWIRE_")}
    return subprocess.run(
        command, cwd=folder, env=inherited | environment, capture_output=True, text=True, timeout=1200, check=False
    )


def build(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return run(sys.executable, "setup.py", "--quiet", "build_ext", "--inplace", folder=folder, **environment)


def look(folder: Path, path: Path | None = None, **environment: str) -> tuple[str, int, int, str, str]:
    """What a fresh process sees: the reason, the toy's results, and the files of its two modules."""
    done = run(sys.executable, "-c", LOOK, folder=folder, PYTHONPATH=str(path or joined(folder)), **environment)
    assert done.returncode == 0, done.stderr
    reason, total, count, counter, reader = json.loads(done.stdout)
    return reason, total, count, counter, reader


def write_toy(folder: Path) -> Path:
    for name in (
        "setup.py",
        "cython_sources.py",
        "pyproject.toml",
        "LICENSE",
        "runtime/tidewire/runtime/__init__.py",
        "runtime/tidewire/runtime/switch.py",
        "runtime/tidewire/runtime/cython.py",
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    for name, text in TOY.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.fixture(scope="module")
def expected() -> str:
    """How the toy has to run on this machine: compiled where there is a compiler."""
    spec = spec_from_file_location("_setup", ROOT / "setup.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return "pure: not built" if module.trouble_with_compiler() else "compiled"


@pytest.fixture(scope="module", autouse=True)
def _compiled_in_a_hurry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What the compiler would make faster, the toy has no use for."""
    compiler = tmp_path_factory.mktemp("compiler") / "cc"
    compiler.write_text(f'#!/bin/sh\nexec {os.environ.get("CC", "cc")} "$@" -O0\n', encoding="utf-8")
    compiler.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CC", str(compiler))
        yield


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_toy(tmp_path_factory.mktemp("built"))
    done = build(folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def toy(built: Path, tmp_path: Path) -> Path:
    """A copy of the built toy that a test may change; its links still lead to its own files."""
    folder = tmp_path / "toy"
    shutil.copytree(built, folder, symlinks=True)
    return folder


def test_compiled_classes_inherit_and_cimport_across_packages(built: Path, expected: str) -> None:
    reason, total, count, counter, reader = look(built)
    assert (reason, total, count) == (expected, 18, 0)
    if expected == "compiled":
        suffix = sysconfig.get_config_var("EXT_SUFFIX")
        assert [Path(file).name for file in (counter, reader)] == [
            f"tidewire.runtime.counter{suffix}",
            f"tidewire.toy.reader{suffix}",
        ]
        assert (built / COMPILED / f"tidewire.spark.kernels.doubling{suffix}").exists()


def test_pure_runs_the_sources_with_the_same_results(built: Path) -> None:
    reason, total, _, counter, reader = look(built, TIDEWIRE_PURE="1")
    assert (reason, total) == ("pure: TIDEWIRE_PURE=1 is set", 18)
    assert [Path(file).name for file in (counter, reader)] == ["counter.py", "reader.py"]


def test_one_changed_source_turns_all_modules_to_their_sources(toy: Path, expected: str) -> None:
    with open(toy / "generated/tidewire/toy/reader.py", "a") as file:
        file.write("\n# changed\n")
    reason, total, _, counter, reader = look(toy)
    assert (Path(counter).name, Path(reader).name, total) == ("counter.py", "reader.py", 18)
    if expected == "compiled":
        assert reason == "pure: stale, toy/reader.py changed since the build; run make build"


def test_a_build_compiles_only_what_changed_or_cimports_it(toy: Path, expected: str) -> None:
    if expected != "compiled":
        assert "run interpreted" in build(toy).stderr
        return
    assert "4 compiled modules are up to date" in build(toy).stderr
    reader = toy / "generated/tidewire/toy/reader.py"
    reader.write_text(reader.read_text().replace("return self.count", "return self.count + 1"))
    assert "compiling 1 of 4 modules" in build(toy).stderr
    assert look(toy)[:2] == ("compiled", 19)
    declaration = toy / "runtime/tidewire/runtime/counter.pxd"
    declaration.write_text(declaration.read_text() + "    cdef object spare\n")
    assert "compiling 2 of 4 modules" in build(toy).stderr
    assert look(toy)[:2] == ("compiled", 19)
    constant = toy / "runtime/tidewire/runtime/step.py"
    constant.write_text(constant.read_text().replace("3", "4"))
    assert build(toy).returncode == 0
    assert look(toy)[:2] == ("compiled", 25)


def test_without_a_compiler_one_sentence_and_a_working_package(tmp_path: Path) -> None:
    folder = write_toy(tmp_path)
    done = build(folder, CC="/bin/false", TIDEWIRE_BUILD="strict")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("tidewire: ") == 1
    assert "no working C compiler" in done.stderr
    assert "Install gcc" in done.stderr
    assert look(folder)[:2] == ("pure: not built", 18)


def test_sources_that_do_not_compile_are_an_error_only_for_who_works_on_them(toy: Path, expected: str) -> None:
    declaration = toy / "runtime/tidewire/runtime/counter.pxd"
    declaration.write_text(declaration.read_text().replace("long long value", "no_such_type value"))
    done = build(toy, TIDEWIRE_BUILD="strict")
    if expected == "compiled":
        assert done.returncode == 1
        assert "tidewire/runtime/counter.pxd:3:" in done.stderr
        assert "nothing was built" in done.stderr
    else:
        assert "run interpreted" in done.stderr
    assert build(toy).returncode == 0
    assert look(toy)[:2] == ("pure: not built", 18)


@pytest.mark.parametrize(("environment", "tag"), [({}, None), ({"TIDEWIRE_BUILD": "pure"}, "py3-none-any")])
def test_a_wheel_holds_the_sources_and_what_was_compiled(
    toy: Path, tmp_path: Path, expected: str, environment: dict[str, str], tag: str | None
) -> None:
    for left_over in (toy / "build").glob("lib*"):
        shutil.rmtree(left_over)
    stale = toy / f"build/lib.{sysconfig.get_platform()}-{sys.implementation.cache_tag}/tidewire/gone.py"
    for lib in (stale, toy / "build/lib/tidewire/gone.py"):
        lib.parent.mkdir(parents=True)
        lib.write_text("raise AssertionError('a module of an earlier build')\n")
    arguments = ["wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", str(tmp_path / "dist"), "."]
    done = run(*PIP, *arguments, folder=toy, **environment)
    assert done.returncode == 0, done.stderr
    (wheel,) = (tmp_path / "dist").glob("tidewire-*.whl")
    installed = tmp_path / "installed"
    shutil.unpack_archive(wheel, installed, "zip")
    reason = "pure: not built" if tag else expected
    seen = look(tmp_path, installed)
    assert seen[:2] == (reason, 18)
    assert seen[3].startswith(str(installed))
    assert wheel.name.endswith(f"{tag}.whl") == (tag is not None)
    for file in ("toy/reader.pxd", "runtime/counter.py", "runtime/step.py", "generator/__main__.py"):
        assert (installed / "tidewire" / file).exists()
    assert not (installed / "tidewire/gone.py").exists()


@pytest.mark.parametrize("text", [None, "raise RuntimeError('broken')\n"])
def test_the_generator_runs_when_the_generated_package_does_not(toy: Path, text: str | None) -> None:
    shutil.rmtree(toy / "generated/tidewire")
    if text:
        (toy / "generated/tidewire").mkdir()
        (toy / "generated/tidewire/__init__.py").write_text(text)
    done = run(sys.executable, "-m", "tidewire.generator", folder=toy, PYTHONPATH=str(toy / "generator"))
    assert (done.stdout, done.returncode) == ("generator runs\n", 0), done.stderr


Change = Callable[[Path], object]


def _edit_manifest(**values: object) -> Change:
    def edit(folder: Path) -> None:
        path = folder / COMPILED / "manifest.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | values))

    return edit


CHANGES: dict[str, tuple[Change, str]] = {
    "nothing": (lambda folder: None, "compiled"),
    "not built": (lambda folder: shutil.rmtree(folder / COMPILED), "pure: not built"),
    "changed": (
        lambda folder: (folder / "runtime/tidewire/runtime/counter.py").write_text("changed"),
        "pure: stale, runtime/counter.py changed since the build; run make build",
    ),
    "changed declaration": (
        lambda folder: (folder / "generated/tidewire/toy/reader.pxd").write_text("changed"),
        "pure: stale, toy/reader.pxd changed since the build; run make build",
    ),
    "added": (
        lambda folder: (folder / "generated/tidewire/toy/writer.pxd").write_text(""),
        "pure: stale, toy/writer.pxd was added since the build; run make build",
    ),
    "gone": (
        lambda folder: (folder / "runtime/tidewire/runtime/counter.pxd").unlink(),
        "pure: stale, runtime/counter.pxd is gone since the build; run make build",
    ),
    "changed number": (
        lambda folder: (folder / "runtime/tidewire/runtime/step.py").write_text("STEP = 4\n"),
        "pure: stale, runtime/step.py changed since the build; run make build",
    ),
    "module missing": (
        lambda folder: (folder / COMPILED / f"tidewire.toy.reader{EXTENSION_SUFFIXES[0]}").unlink(),
        f"pure: _compiled/tidewire.toy.reader{EXTENSION_SUFFIXES[0]} is missing; run make build",
    ),
    "other Python": (
        _edit_manifest(suffix=".cpython-27-vax.so"),
        "pure: built for another Python (.cpython-27-vax.so); run make build",
    ),
    "not JSON": (
        lambda folder: (folder / COMPILED / "manifest.json").write_text("{"),
        "pure: _compiled/manifest.json cannot be used (Expecting property name enclosed in double quotes: "
        "line 1 column 2 (char 1)); run make build",
    ),
    "not a manifest": (
        lambda folder: (folder / COMPILED / "manifest.json").write_text("[]"),
        "pure: _compiled/manifest.json cannot be used (list indices must be integers or slices, not str); "
        "run make build",
    ),
}


@pytest.fixture
def finders() -> Iterator[None]:
    """Gives the process its import machinery back."""
    before = list(sys.meta_path)
    yield
    sys.meta_path[:] = before


@pytest.mark.usefixtures("finders")
@pytest.mark.parametrize("case", CHANGES)
def test_the_switch_trusts_only_what_is_as_it_was_built(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TIDEWIRE_PURE", raising=False)
    folder = write_toy(tmp_path)
    compiled = folder / COMPILED
    compiled.mkdir()
    modules = ["tidewire.runtime.counter", "tidewire.spark.kernels.doubling", "tidewire.toy.reader"]
    for module in modules:
        (compiled / f"{module}{EXTENSION_SUFFIXES[0]}").touch()
    roots = ("generated", "runtime", "messages", "reading", "spark", "generator")
    where = {one: str(folder / root / one.replace(".", "/")) for one, root in zip(switch.PACKAGES, roots, strict=True)}
    sources = switch.sources(where) | switch.named(["tidewire/runtime/step.py"], where)
    digests = {name: switch.digest(path) for name, path in sources.items()}
    assert len(digests) == 7
    manifest = {"suffix": EXTENSION_SUFFIXES[0], "modules": modules, "sources": digests}
    (compiled / "manifest.json").write_text(json.dumps(manifest))
    change, reason = CHANGES[case]
    change(folder)
    assert switch.install(where) == (reason == "compiled", reason)
    serving = [finder for finder in sys.meta_path if isinstance(finder, switch.CompiledFinder)]
    assert [sorted(finder.files) for finder in serving] == ([modules] if reason == "compiled" else [])


@pytest.mark.usefixtures("finders")
def test_a_compiled_module_that_cannot_be_loaded_says_what_to_do(tmp_path: Path) -> None:
    broken = tmp_path / f"tidewire.toy.reader{EXTENSION_SUFFIXES[0]}"
    broken.write_text("not a library")
    spec = switch.CompiledFinder({"tidewire.toy.reader": str(broken)}).find_spec("tidewire.toy.reader")
    assert spec is not None
    with pytest.raises(ImportError, match="Set TIDEWIRE_PURE=1 to run without compiled modules"):
        module_from_spec(spec)


def test_a_folder_of_the_name_does_not_hide_the_package(tmp_path: Path) -> None:
    """Such as the clone itself, for a script in the folder above it."""
    (tmp_path / "tidewire/runtime").mkdir(parents=True)
    done = run(sys.executable, "-c", "import tidewire; print(tidewire.protocols.__name__)", folder=tmp_path)
    assert (done.stdout, done.returncode) == ("protocols\n", 0), done.stderr


def test_generated_modules_of_another_version_are_refused() -> None:
    runtime.require_api(runtime.API_VERSION)
    with pytest.raises(
        ImportError, match=r"expect version 99 of tidewire.runtime, this is version 1: run make generate"
    ):
        runtime.require_api(99)


@pytest.mark.codec
def test_the_modules_that_run_are_the_ones_announced() -> None:
    if os.environ.get("TIDEWIRE_PURE") == "1":
        assert not runtime.compiled
    file = memory.__file__
    assert file is not None
    assert (Path(file).suffix != ".py") == runtime.compiled == (runtime.compiled_reason == "compiled")


def test_the_package_under_test_is_this_checkout() -> None:
    assert [Path(file or "").resolve() for file in (tidewire.__file__, runtime.__file__)] == [
        ROOT / "generated/tidewire/__init__.py",
        ROOT / "runtime/tidewire/runtime/__init__.py",
    ]


def test_tools_that_run_no_code_find_the_package(tmp_path: Path) -> None:
    """mypy and editors read .pth files; they do not run the import hook of an editable installation."""
    script = tmp_path / "script.py"
    script.write_text("from tidewire import craft\nreveal_type(craft.decode)\n")
    done = run(sys.executable, "-m", "mypy", "--strict", "script.py", folder=tmp_path)
    assert "tidewire.events.Events" in done.stdout, done.stdout + done.stderr
    assert done.returncode == 0, done.stdout


def test_a_python_that_is_too_old_gets_a_sentence(tmp_path: Path) -> None:
    folder = write_toy(tmp_path)
    script = "import runpy, sys; sys.modules['tomllib'] = None; runpy.run_path('setup.py')"
    done = run(sys.executable, "-c", script, folder=folder)
    assert done.stderr.startswith("tidewire: Python 3.11 or newer is needed; ")
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1)


def test_pip_shows_how_far_it_is_and_that_it_did_without_a_compiler(toy: Path, tmp_path: Path, expected: str) -> None:
    arguments = ["wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", str(tmp_path / "dist"), "."]
    terminal = tmp_path / "terminal"
    done = run(*PIP, *arguments, folder=toy, TIDEWIRE_TERMINAL=str(terminal), CC="/bin/false")
    assert done.returncode == 0, done.stderr
    assert done.stdout + done.stderr == ""  # pip keeps to itself what the build says
    assert "tidewire: there is no working C compiler" in terminal.read_text()
    assert "about 100 times slower. Install gcc" in terminal.read_text()
    if expected == "compiled":
        terminal.unlink()
        for result in (toy / "build/compiled").glob("*"):
            shutil.rmtree(result) if result.is_dir() else result.unlink()
        done = run(*PIP, *arguments, folder=toy, TIDEWIRE_TERMINAL=str(terminal))
        assert done.returncode == 0, done.stderr
        said = [line.strip() for line in terminal.read_text().splitlines() if line.strip()]
        assert said == [
            "tidewire: compiling 4 of 4 modules",
            "tidewire: 1 of 4 modules are compiled",
            "tidewire: 2 of 4 modules are compiled",
            "tidewire: 3 of 4 modules are compiled",
            "tidewire: 4 modules are compiled",
        ]


def interpreted_uses(path: Path) -> set[str]:
    """The names X of `cython.X` that a source evaluates when it runs interpreted: no annotations, no C branches."""
    found = set()

    def visit(node: ast.AST) -> None:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "cython.compiled":
            for part in node.orelse:
                visit(part)
            return
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "cython":
            found.add(node.attr)
        for name, value in ast.iter_fields(node):
            if name not in ("annotation", "returns"):
                for part in value if isinstance(value, list) else [value]:
                    if isinstance(part, ast.AST):
                        visit(part)

    visit(ast.parse(path.read_text(encoding="utf-8")))
    return found


def test_the_stand_in_for_cython_has_what_the_sources_use() -> None:
    paths = [*(ROOT / "runtime/tidewire/runtime").glob("*.py"), *(ROOT / "generated/tidewire").rglob("*.py")]
    used = {name: path.name for path in paths for name in interpreted_uses(path)}
    assert {name: file for name, file in used.items() if not hasattr(cython, name)} == {}


def test_every_module_imports_without_cython() -> None:
    names = [
        ".".join(path.relative_to(ROOT / "generated").with_suffix("").parts)
        for path in (ROOT / "generated").rglob("*.py")
    ]
    names += [f"tidewire.runtime.{path.stem}" for path in (ROOT / "runtime/tidewire/runtime").glob("*.py")]
    script = (
        "import sys, importlib; sys.modules['cython'] = None\nfor name in sys.argv[1:]: importlib.import_module(name)"
    )
    modules = sorted({name.removesuffix(".__init__") for name in names})
    done = run(sys.executable, "-c", script, *modules, folder=ROOT, TIDEWIRE_PURE="1")
    assert done.returncode == 0, done.stderr
