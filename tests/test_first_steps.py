"""What somebody meets first: names that are spelt otherwise, arguments in the wrong place, a slow or an old Python."""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
from typing import Any

import pytest
from recorded import bench_value

import tidewire
from tidewire import canal_json, craft
from tidewire.messages.by_protocol import ByProtocol, UnknownProtocolError

STALE = (
    "import tidewire.runtime as r; r.compiled, r.compiled_reason = False, 'pure: stale, x.py changed; run make build'; "
)


def run(script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A fresh process that nobody told to run interpreted, and whose parents said nothing."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("TIDEWIRE_")}
    return subprocess.run(
        [sys.executable, "-c", script],
        env=inherited | environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


# ---- slow mode


def test_slow_mode_is_one_warning_a_process_with_cause_factor_and_mend() -> None:
    done = run(STALE + "import tidewire.craft, tidewire.canal_json, tidewire.spark.options")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("SlowModeWarning") == 1
    assert "about 100 times slower: stale, x.py changed. Install a C compiler" in done.stderr
    assert "make build" in done.stderr
    assert "<string>:1: SlowModeWarning" in done.stderr  # the line of the program, not one of ours


def test_a_child_process_does_not_say_it_again() -> None:
    child = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {STALE + 'import tidewire.craft'!r}])"
    done = run(STALE + "import tidewire.craft; " + child)
    assert (done.returncode, done.stderr.count("SlowModeWarning")) == (0, 1), done.stderr


@pytest.mark.parametrize("command", ["protocols", "decode craft --hex 018180a0dbfde1fbc30603010101021a19010005"])
def test_the_command_line_says_it_as_a_sentence(command: str) -> None:
    done = run(STALE + f"from tidewire.cli.__main__ import app; app({command.split()!r})")
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("tidewire: Tidewire runs interpreted, with the same results, about 100 times slower")
    assert len(done.stderr.splitlines()) == 1


def test_who_asks_for_the_interpreted_modules_is_not_warned() -> None:
    done = run("import tidewire.craft", TIDEWIRE_PURE="1")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_python_that_is_too_old_gets_a_sentence() -> None:
    done = run("import sys; sys.version_info = (3, 9, 2); sys.version = '3.9.2 (default)'; import tidewire")
    assert done.stderr.splitlines()[-1].startswith("ImportError: Tidewire needs Python 3.11 or newer; ")
    assert done.stderr.splitlines()[-1].endswith(
        "is 3.9.2. In Spark, PYSPARK_PYTHON says which Python the executors run"
    )


# ---- names of protocols


@pytest.mark.parametrize("name", ["canal-json", "canal_json", "Canal-JSON", "CANAL_JSON"])
def test_a_protocol_is_found_however_its_name_is_written(name: str) -> None:
    from tidewire.schemas import MESSAGES

    assert tidewire.protocols()[name].load() is canal_json
    assert name in tidewire.protocols()
    assert MESSAGES[name] is MESSAGES["canal-json"]
    assert name in MESSAGES
    assert MESSAGES.get(name) is MESSAGES["canal-json"]


@pytest.mark.parametrize(
    ("name", "hint"),
    [("kanal-json", "did you mean canal-json? There"), ("crafd", "did you mean craft? There"), ("zzz", "there")],
)
def test_a_wrong_name_gets_a_sentence_with_the_right_ones(name: str, hint: str) -> None:
    from tidewire.schemas import MESSAGES

    for found in (tidewire.protocols(), MESSAGES):
        with pytest.raises(UnknownProtocolError) as caught:
            found[name]
        assert str(caught.value) == f"no protocol is called '{name}'; {hint} are: {', '.join(found)}"
        assert isinstance(caught.value, KeyError)
        assert name not in found
        assert found.get(name) is None


def test_what_is_no_name_is_no_protocol() -> None:
    names: Any = ByProtocol({"a-b": 1})
    assert None not in names
    with pytest.raises(UnknownProtocolError, match="no protocol is called None; there are: a-b"):
        names[None]


def test_the_version_is_that_of_the_installed_package() -> None:
    assert tidewire.__version__ == importlib.metadata.version("tidewire")
    with pytest.raises(AttributeError, match="module 'tidewire' has no attribute 'nonsense'"):
        tidewire.nonsense  # noqa: B018


# ---- arguments in the wrong place


@pytest.mark.codec
def test_options_where_the_key_goes_are_refused() -> None:
    value = bench_value(1)
    wrong: Any
    for wrong in ({"producer": "tiflow"}, craft.Options(), "key"):
        with pytest.raises(TypeError, match=r"the second argument is the Kafka key, bytes or None, not .*options="):
            craft.decode(value, wrong)
        with pytest.raises(TypeError, match=r"argument is the Kafka keys, one for each value, not .*options="):
            craft.decode_batch([value], wrong)
    assert list(craft.decode(value, b"key", craft.Options())) == list(craft.decode(value))


@pytest.mark.codec
def test_strings_where_options_go_are_refused() -> None:
    strings: Any = {"producer": "tiflow"}
    message = r"options are made from dict .* with Options\.from_strings"
    with pytest.raises(TypeError, match=message):
        craft.decode(bench_value(1), options=strings)
    with pytest.raises(TypeError, match=message):
        craft.decode_batch([bench_value(1)], options=strings)
    with pytest.raises(TypeError, match=message):
        craft.encode([], strings)
    with pytest.raises(TypeError, match=message):
        craft.encode_batch(craft.decode(bench_value(1)).columns, strings)
