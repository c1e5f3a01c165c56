"""Every snippet of README.md and of the manual, each page by itself: what it shows is what comes out.

A page finds what a reader of this folder has: the examples, the tests, the programs of the environment. It makes all
else, but for a session of Spark with a Kafka source and a topic, which a page that needs them says.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from topics import capture, fill

from demo.broker import Broker
from manual.blocks import Block, blocks, difference, transcript
from manual.pages import MANUAL, PAGES, README, ROOT, manual, named, said
from tidewire.generator.check import load_spec
from tidewire.generator.printing import print_files
from tidewire.generator.problems import report
from tidewire.spark.sync.jars import KINDS, SPARK

pytestmark = pytest.mark.whole

MARK = "---- line "
WIDTH = "120"
"""Columns of the terminal that the pages show."""
CLIENTS = ROOT / "tests" / "manual" / "clients"
"""What stands in for clients of brokers that are not there."""
NEEDED = "`spark` is a session of Spark 4 with Spark's Kafka connector"
"""How a page says what it needs."""
PROVIDED = """
from tidewire.spark import local_session
from tidewire.spark.sync.jars import settings
spark = local_session(conf=settings(["kafka"]))
"""
"""What such a page is given, beside a broker with the topics of `TOPICS`."""
TOPICS = {"tidb-changes": "craft", "shop-changes": "canal_json", "tidb-changes-canal": None}
"""Topics that pages name, and the captures that are in them at first."""
SERVERS = "localhost:9092"
"""What pages call the broker, which is on another port here."""


def python(page: Path) -> list[Block]:
    """The snippets of Python of a page."""
    return [block for block in blocks(page) if block.language == "python"]


def commands(page: Path) -> bool:
    """Whether a page shows commands and what they print."""
    return any(transcript(block) for block in blocks(page))


def names(page: Path) -> str:
    """For pytest."""
    return page.stem


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """What snippets read, in a folder where they may write."""
    for name in ("examples", "tests"):
        (tmp_path / name).symlink_to(ROOT / name)
    return tmp_path


def run(command: list[str], folder: Path, output: int = subprocess.STDOUT) -> subprocess.CompletedProcess[str]:
    """A command as somebody runs it who has the environment's programs at hand."""
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": f"{ROOT / 'tests'}{os.pathsep}{CLIENTS}",
        "COLUMNS": WIDTH,
        "TERM": "dumb",
    }
    return subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=output,
        text=True,
        timeout=1200,
        check=False,
    )


@pytest.fixture(scope="module")
def servers(_one_broker: Broker) -> str:
    """Those of a broker that has the topics that pages read."""
    _one_broker.start()
    for topic, name in TOPICS.items():
        fill(_one_broker, topic, () if name is None else capture(name))
    return _one_broker.servers


def printed(page: Path, folder: Path, servers: str | None) -> dict[int, str]:
    """What each snippet of Python prints, by its line; those of a page run one after the other in one process."""
    script = "" if servers is None else PROVIDED
    for block in python(page):
        script += f"print({MARK + str(block.line)!r})\n" + block.text.replace(SERVERS, servers or SERVERS)
    (folder / "snippets.py").write_text(script, encoding="utf-8")
    done = run([sys.executable, "snippets.py"], folder, subprocess.PIPE)
    assert done.returncode == 0, f"{named(page)}: {done.stderr}"
    parts = done.stdout.split(MARK)[1:]
    return {int(line): text for line, _, text in (part.partition("\n") for part in parts)}


@pytest.mark.parametrize("page", [page for page in PAGES if python(page)], ids=names)
def test_python_prints_what_the_page_shows(page: Path, repository: Path, request: pytest.FixtureRequest) -> None:
    servers = request.getfixturevalue("servers") if NEEDED in said(page) else None
    found = printed(page, repository, servers)
    waiting: int | None = None
    for block in [*blocks(page), None]:
        if waiting is not None:
            shown = block is not None and block.follows
            assert shown, f"{named(page)}:{waiting}: it prints, and the page does not show it: {found[waiting]}"
            assert block is not None
            assert block.text.strip(), f"{named(page)}:{block.line}: it shows nothing of {found[waiting]}"
            problem = difference(block.text, found[waiting])
            assert problem is None, f"{named(page)}:{block.line}: {problem}"
        prints = block is not None and block.language == "python" and found[block.line].strip()
        waiting = block.line if block is not None and prints else None
    if page == manual("spark"):
        assert list((repository / "out/k_comp").glob("*.parquet"))


@pytest.mark.parametrize("page", [page for page in PAGES if commands(page)], ids=names)
def test_commands_print_what_the_page_shows(page: Path, repository: Path) -> None:
    for block in blocks(page):
        for step in transcript(block):
            done = run(["bash", "-o", "pipefail", "-c", step.command], repository)
            problem = difference(step.shown, done.stdout)
            assert problem is None, f"{named(page)}:{step.line}: {step.command}: {problem}"
            assert done.returncode == 0, f"{named(page)}:{step.line}: {step.command}: {done.stdout}"


def test_the_connector_is_that_of_the_locked_spark() -> None:
    """Maven Central has all that this version needs; tests run a later one, with jars that are fetched one by one."""
    (package,) = re.findall(r"^pyspark --packages (\S+)$", README.read_text(encoding="utf-8"), re.M)
    name, _, version = package.rpartition(":")
    jar = KINDS["kafka"].jars[0]
    assert name == f"{jar.group}:{jar.name}"
    assert version.startswith(f"{SPARK}.")
    assert f"Spark {SPARK} fetches" in said(README)


def test_the_pages_have_snippets() -> None:
    """The tests above run what they are meant to run."""
    new = "tables-without-spark"
    snippets = {page.stem for page in PAGES if python(page)}
    assert {"README", "spark", "tables", new, "avro", "checksums", "problems"} <= snippets
    assert {"README", "command-line", "conform", "dissect", new} <= {page.stem for page in PAGES if commands(page)}
    assert [page.stem for page in PAGES if NEEDED in said(page)] == ["README", "spark"]


def test_a_field_is_added_as_the_page_says(tmp_path: Path) -> None:
    page = manual("adding-a-field")
    (added,) = (block.text for block in blocks(page) if block.language == "yaml")
    (shown,) = (block.text for block in blocks(page) if block.language == "diff")
    (wrong,) = (block.text for block in blocks(page) if block.text.startswith("spec/craft.yaml:"))
    spec = tmp_path / "spec"
    shutil.copytree(ROOT / "spec", spec)
    craft = spec / "craft.yaml"
    lines = craft.read_text().splitlines(keepends=True)
    header = next(n for n, line in enumerate(lines) if line.strip().startswith("header_columns:"))
    place = next(n for n in range(header, len(lines)) if "{id: table," in lines[n]) + 1
    before, _ = load_spec(spec, None)
    craft.write_text("".join([*lines[:place], added.replace("event: table_id", "event: tabel_id"), *lines[place:]]))
    _, problems = load_spec(spec, None)
    assert wrong.strip() in report(problems)
    craft.write_text("".join([*lines[:place], added, *lines[place:]]))
    after, problems = load_spec(spec, None)
    assert before is not None
    assert after is not None, report(problems)
    old, new = print_files(before), print_files(after)
    known = {line for text in old.values() for line in text.splitlines()}
    made = {line for text in new.values() for line in text.splitlines()}
    added_lines = [line[1:] for line in shown.splitlines() if line.startswith("+")]
    assert [line for line in added_lines if line not in made] == []
    assert any(line not in known for line in added_lines)


def test_targets_of_make_are_there() -> None:
    known = set(re.findall(r"^([\w-]+):.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    at_first = set(re.findall(r"^make ([\w-]+)", README.read_text(encoding="utf-8"), re.M))
    assert at_first == {"run", "test"}
    named_targets = {
        target
        for page in PAGES
        for target in re.findall(r"(?:^|`)make ([\w-]+)", page.read_text(encoding="utf-8"), re.M)
    }
    assert {"bench", "oracle", "build"} <= named_targets <= known
    (listed,) = re.findall(r"`make help` lists the other targets: (.+?)\.", said(manual("install")))
    assert set(re.findall(r"`(\w+)`", re.sub(r"\(.+?\)", "", listed))) <= known


def test_every_folder_of_the_picture_is_there() -> None:
    (house,) = (block for block in blocks(manual("architecture")) if block.text.startswith("spec/ "))
    folders = re.findall(r"^(\w+)/ ", house.text, re.M)
    assert len(folders) >= 9
    assert [name for name in folders if not (ROOT / name).is_dir()] == []
    mentioned = set(re.findall(r"(?:^ +|[,;] )(\w+)/ ", house.text, re.M))
    inside = [*ROOT.glob("*/tidewire/*/*"), *ROOT.glob("*/*")]
    assert sorted(mentioned - {"kernels"} - {path.name for path in inside if path.is_dir()}) == []


def test_every_page_is_one_that_is_looked_at() -> None:
    assert len(MANUAL) >= 20
    assert README.is_file()
