"""Sizes, counts and versions that the manual states are those that hold.

Others are held beside what they are of: what decoders and encoders remember of tables in tests/every_protocol, schemas
in tests/avro, what detection looks at in tests/test_detect.py.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from every_protocol.test_message_bounds import COSTLY
from test_unpacked_memory import LIMIT, MOST_HELD

import tidewire
import tidewire.runtime
from manual.pages import README, ROOT, manual, said
from oracle import differential
from tidewire.messages import codec_pool, slow_mode
from tidewire.messages.delivery import claims, compression
from tidewire.messages.detecting import reencode_check
from tidewire.messages.options import MAX_UNPACKED_BYTES
from tidewire.messages.registry import RegistrySettings, resolver
from tidewire.reading import types
from tidewire.runtime import shortened
from tidewire.runtime.arrow import decimal_texts
from tidewire.runtime.connect import unknown
from tidewire.runtime.registered import schema as registered_schema
from tidewire.runtime.registry import memory
from tidewire.runtime.tables import sql_text
from tidewire.spark import java
from tidewire.spark.options import _OF_ROWS, _READ, _WRITE
from tidewire.spark.sync import stage_task
from tidewire.spark.sync.rules import MOST_KEYS

SETTINGS = RegistrySettings(("https://registry:8081",))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NUMBERS = {4: "four", 6: "six", 8: "eight"}


def test_what_a_hostile_message_costs() -> None:
    """The most that any shape may cost, but for the two that are named; what they are held to is what is said."""
    shapes = {name: {shape.__name__: most for shape, most in module.SHAPES} for name, module in COSTLY.items()}
    craft = shapes["craft"]
    images, tables = craft.pop("many_images"), craft.pop("many_tables_with_rows")
    most = max(most for one in shapes.values() for most in one.values())
    text = said(manual("limits"))
    assert f"at most {most} bytes a byte for most shapes tried" in text
    assert f"in Craft {images} where both images of every update have a layout of their own" in text
    assert f"and {tables} where every row has a table and a layout of its own" in text


ARRAYS = """
from craft.costly import many_layouts
from fuzz.engine import resident
from tidewire.craft.decoder import Decoder
layouts = Decoder().decode([many_layouts(30_000).build()]).layouts
before = resident()
arrays = [layout.arrays for layout in layouts]
print((resident() - before) // len(layouts))
"""
"""What the Arrow arrays of a layout of one column take up, by what the process holds: most of it is C++'s."""


def test_what_the_arrays_of_a_layout_cost() -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "tests")}
    done = subprocess.run([sys.executable, "-c", ARRAYS], env=environment, capture_output=True, text=True, check=True)
    (said_there,) = re.findall(r"some (\d+) bytes each", said(manual("limits")))
    assert 0.7 < int(done.stdout) / int(said_there) < 1.3


@pytest.mark.parametrize(
    ("page", "sentence"),
    [
        ("large-messages", f"by {compression.MOST >> 20} MiB, and by `max-unpacked-bytes`"),
        ("large-messages", f"Up to {NUMBERS[claims.AT_ONCE]} files are fetched at a time"),
        ("large-messages", f"{int(MAX_UNPACKED_BYTES.default) >> 20} MiB unless it is set"),
        ("large-messages", f"at most {NUMBERS[MOST_HELD // LIMIT]} times that in memory"),
        ("python", f"({NUMBERS[codec_pool.MOST_KEPT]} for a protocol, by options;"),
        ("python", f"more than {codec_pool.MOST_EVENTS} messages or {codec_pool.MOST_BYTES >> 20} MiB"),
        ("avro", f"at most {registered_schema.MOST_FIELDS:,} fields"),
        ("avro", f"nested {registered_schema.MOST_DEPTH} deep at most"),
        ("limits", f"decodes messages until they have {stage_task.BATCH_BYTES >> 20} MiB"),
        ("limits", f"rows of {stage_task.HELD_BYTES >> 20} MiB at most until it writes them"),
        ("limits", f"of each table {MOST_KEYS + 1:,} keys at most"),
        ("limits", f"shows at most {shortened.MOST_SHOWN} characters of a name, a value or a path"),
        ("limits", f"at most {shortened.MOST_SAID:,} characters of what is wrong"),
        ("limits", f"stands for more than {decimal_texts.MOST_DIGITS} digits"),
        ("limits", f"up to {unknown.MOST_SAID:,} columns in a process"),
        ("python", f"up to {reencode_check.MOST_MESSAGES} messages"),
        ("python", f"at most {reencode_check.MOST_WRITTEN >> 20} MiB"),
        ("registry", f"up to {resolver.MOST_REMEMBERED >> 20} Mi characters of schemas"),
        ("registry", f"{memory.MOST_BYTES >> 20} MiB at most, and so have schemas in memory"),
        ("registry", f"`retries` times ({SETTINGS.retries})"),
        ("registry", f"`deadline` seconds ({SETTINGS.deadline:g}) at most"),
        ("registry", f"an attempt `attempt` ({SETTINGS.attempt:g})"),
        ("registry", f"`most_bytes` ({SETTINGS.most_bytes >> 20} MiB)"),
        ("spark-avro", f"asks for that id again after {SETTINGS.failure_seconds:g} seconds"),
        ("spark-types", f"string where {types.MOST_DIGITS} digits are not enough"),
        ("tables", f"its first {sql_text.PREFIX} characters"),
        ("install", f"about {slow_mode.FACTOR} times slower"),
        ("install", f"Java {java.LEAST} or newer"),
        ("architecture", f"{differential.EVENTS:,} events at random of each protocol"),
    ],
)
def test_sentences_have_the_numbers_of_the_code(page: str, sentence: str) -> None:
    assert sentence in said(manual(page))


def test_versions_are_those_of_the_project() -> None:
    least = PROJECT["requires-python"].removeprefix(">=")
    for page in (README, manual("install")):
        assert f"Python {least} or newer" in said(page)
    extras = PROJECT["optional-dependencies"]
    (low, below) = re.findall(r"pyspark>=(\d\.\d),<(\d\.\d)", " ".join(extras["spark-any"]))[0]
    newest = f"{below.partition('.')[0]}.{int(below.partition('.')[2]) - 1}"
    assert f"Spark from {low} to {newest}" in said(manual("install"))
    assert f"Spark {low} to {newest} is the declared range" in said(manual("limits"))
    (locked,) = re.findall(r"^pyspark==(\S+)", (ROOT / "requirements-dev.lock").read_text(encoding="utf-8"), re.M)
    assert f"{locked} is the version in the lock" in said(manual("limits"))
    assert f"pyspark=={locked}" in extras["spark"]


def test_the_page_says_how_many_modules_are_compiled() -> None:
    manifest = Path(tidewire.runtime.__file__).with_name("_compiled") / "manifest.json"
    if not tidewire.runtime.compiled:
        return  # nothing to count
    modules = json.loads(manifest.read_text(encoding="utf-8"))["modules"]
    assert f"tidewire: compiling {len(modules)} of {len(modules)} modules" in said(manual("demo"))


def test_every_option_of_spark_is_on_its_page() -> None:
    page = manual("spark-options").read_text(encoding="utf-8")
    reading, writing = page.partition("\n## For reading\n")[2].split("\n## For writing\n")
    for part, options in ((reading, _READ), (writing, _WRITE)):
        rows = dict(re.findall(r"^\| `(\w+)` \| .+? \| (.+) \|$", part, re.M))
        assert list(rows) == [*dict.fromkeys(rows)]
        assert rows.keys() == options.keys()
        for name, choices in options.items():
            assert [one for one in choices or () if f"`{one}`" not in rows[name]] == []
    (only_rows,) = re.findall(r"`from_ticdc` has no (.+?), since", said(manual("spark-options")))
    assert set(re.findall(r"`(\w+)`", only_rows)) == set(_OF_ROWS)


def test_every_option_of_a_protocol_is_on_their_page() -> None:
    """With its default, for each protocol that has it, and for no other."""
    titles = {
        "Craft": "craft",
        "Canal-JSON": "canal-json",
        "Open Protocol": "open-protocol",
        "Simple": "simple",
        "Debezium": "debezium",
        "Avro": "avro",
        "Debezium-Avro": "debezium-avro",
    }
    known = tidewire.protocols()
    assert sorted(titles.values()) == sorted(known)
    wanted = {
        (one.name, name): "the first" if one.name == "producer" else _text(one.default)
        for name, info in known.items()
        for one in info.load().OPTIONS
    }
    producers = {(one.name, name): set(one.producers) for name, info in known.items() for one in info.load().OPTIONS}
    found = {}
    rows = re.findall(r"^\| (`.+?) \| (.+?) \| (.+?) \| .+ \|$", manual("options").read_text(encoding="utf-8"), re.M)
    for names, default, protocols in rows:
        own = set(re.findall(r"`(\w+)`", protocols))
        listed = re.sub(r", `\w+`", "", protocols).split(", ")
        for option in re.findall(r"`([a-z-]+)`", names):
            for name in list(known) if listed == ["all"] else [titles[one] for one in listed]:
                assert (option, name) not in found, (option, name)
                assert producers[option, name] == own, (option, name)
                found[option, name] = default.strip("`")
    assert found == wanted


def _text(default: int | bool | str) -> str:
    if isinstance(default, bool):
        return str(default).lower()
    return str(default) or "none"
