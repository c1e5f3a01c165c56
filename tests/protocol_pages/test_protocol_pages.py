"""The protocol pages contain everything in the specs, in valid Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from tidewire.generator.__main__ import PAGES, main
from tidewire.generator.check import load_spec
from tidewire.generator.model import Spec
from tidewire.generator.pages import printing
from tidewire.generator.pages.markdown import mono, say, sentence, series, text
from tidewire.generator.pages.printing import print_pages
from tidewire.generator.plugins import plugin_of

from .page_shape import anchors, outside_blocks, well_formed

ROOT = Path(__file__).resolve().parents[2]
SPEC, WORDS = ROOT / "spec", ROOT / "tests" / "spec_every_word"
SHARED = {"primitives", "events", "mysql_types"}


def protocols(folder: Path) -> list[Path]:
    """The specs of protocols in a folder."""
    return sorted(path for path in folder.glob("*.yaml") if path.stem not in SHARED)


@pytest.fixture(scope="module")
def spec() -> Spec:
    found, problems = load_spec(SPEC)
    assert found is not None, problems
    return found


@pytest.fixture(scope="module")
def pages(spec: Spec) -> dict[str, str]:
    """The pages of the protocols of spec/ and of those that use every word, by the protocol's name."""
    words, problems = load_spec(WORDS, SPEC)
    assert words is not None, problems
    printed = print_pages(spec, {}) | {
        name: page for name, page in print_pages(words, {}).items() if name != "README.md"
    }
    return {name.removesuffix(".md"): page for name, page in printed.items()}


def said(node: Any, words: tuple[str, ...]) -> Iterator[str]:
    """Every text that these words say, anywhere in a spec."""
    if isinstance(node, dict):
        for word, below in node.items():
            if word in words and isinstance(below, str):
                yield below
            yield from said(below, words)
    elif isinstance(node, list):
        for one in node:
            yield from said(one, words)


@pytest.mark.parametrize("path", [*protocols(SPEC), *protocols(WORDS)], ids=lambda path: path.stem)
def test_a_page_says_all_that_the_spec_says(path: Path, pages: dict[str, str], spec: Spec) -> None:
    """Every `about`, every name on the wire; where a plug-in tells no parts, but for what stands in these."""
    top = yaml.safe_load(path.read_text(encoding="utf-8"))
    page = pages[path.stem]
    told = path.parent == WORDS or plugin_of(spec.protocols[path.stem]).page is not None
    inside = top if told else {key: below for key, below in top.items() if key != "parts"}
    found = list(said(inside, ("about", "title")))
    assert len(found) >= 3
    for about in found:
        assert str(text(about)) in page, about
    for name in said(top["parts"] if told else {}, ("name",)):
        assert str(mono(name)) in page, name
    for word in ("producers", "options", "defects", "losses", "values", *(["parts"] if told else [])):
        for name in top.get(word, {}):
            assert str(mono(name)) in page, f"{word} {name}"
    for about in (*top["producers"].values(), *top["sources"].values()):
        assert str(text(about)) in page
    for one in top.get("differences", {}).values():
        assert all(str(sentence(says)) in page for says in one.values())


@pytest.mark.parametrize("name", [path.stem for path in protocols(SPEC)])
def test_options_have_their_ranges_and_defaults(name: str, pages: dict[str, str], spec: Spec) -> None:
    rows = dict(re.findall(r"^\| `([a-z0-9-]+)` \| (.+) \|$", pages[name].partition("## Options")[2], re.MULTILINE))
    for option in spec.protocols[name].options.values():
        row = rows[option.name]
        if option.range is not None:
            assert row.startswith(f"{option.range[0]:,} to {option.range[1]:,} | {option.default:,} |")
        for choice in option.choices:
            assert f"`{choice}`" in row
        if isinstance(option.default, bool):
            assert f"| `{str(option.default).lower()}` |" in row
        for other in (*option.needs, *option.implies, *option.producers):
            assert f"`{other}`" in row
    assert f"| `{next(iter(spec.protocols[name].producers))}` |" in rows["producer"]


@pytest.mark.parametrize("name", [path.stem for path in protocols(SPEC)])
def test_kinds_and_fields_are_carried_or_not(name: str, pages: dict[str, str], spec: Spec) -> None:
    protocol = spec.protocols[name]
    meaning = plugin_of(protocol).context(spec, protocol).meaning
    carried, _, behind = pages[name].partition("## What it carries\n")[2].partition("\n## ")
    absent = behind.partition("What it cannot carry\n")[2].partition("\n## ")[0]
    for kind in spec.events.kinds:
        assert (f"| `{kind}` |" in carried) is (kind in meaning.kinds(spec))
        assert (f"| `{kind}` events |" in absent) is (kind not in meaning.kinds(spec))
    for field in (one for one in spec.events.fields if one != "kind"):
        assert (f"| `{field}` |" in carried) is (field in meaning.fields(spec))
        assert (f"| `{field}` |" in absent) is (field not in meaning.fields(spec))


@pytest.mark.parametrize("name", [path.stem for path in protocols(SPEC)])
def test_every_column_type_has_its_codec(name: str, pages: dict[str, str], spec: Spec) -> None:
    for table in spec.protocols[name].values.values():
        chapter = pages[name].partition(f"\n### `{table.name}`\n")[2].partition("\n## ")[0].partition("\n### ")[0]
        for case in table.cases:
            for codec in (case.codec, *case.flagged.values(), *case.by_producer.values()):
                assert f"| `{codec}` | {sentence(spec.primitives.codecs[codec].about)} |" in chapter
            for kind in case.types:
                assert spec.mysql_types.types[kind].sql[0].upper() in chapter


def test_pages_are_well_formed(pages: dict[str, str]) -> None:
    for page in pages.values():
        well_formed(page)


def test_links_lead_somewhere(pages: dict[str, str]) -> None:
    """To one heading of the page, or to a file."""
    for name, page in pages.items():
        known = anchors(page)
        assert len(known) == len(set(known)), name
        links = re.findall(r"\]\(([^)]+)\)", "\n".join(outside_blocks(page)))
        assert links
        for link in links:
            path, _, anchor = link.partition("#")
            if not path:
                assert anchor in known, (name, link)
            elif not name.startswith(("every", "other")):
                assert (PAGES / path).resolve().is_file(), (name, link)


def test_printed_pages_fit(spec: Spec) -> None:
    """Blocks need no scrolling, and every page has a real message."""
    for name in spec.protocols:
        page = (PAGES / f"{name}.md").read_text(encoding="utf-8")
        well_formed(page)
        assert "\n## A real message\n" in page
        lines = page.splitlines()
        fences = [at for at, line in enumerate(lines) if line == "```"]
        assert len(fences) >= 4
        for start, end in zip(fences[::2], fences[1::2], strict=True):
            assert max(map(len, lines[start:end])) <= 108


def test_readme_links_every_page(spec: Spec) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for name, protocol in spec.protocols.items():
        assert f"[{protocol.title}" in readme
        assert f"(docs/protocols/{name}.md)" in readme


def test_pages_are_held_fresh(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Bytes and the set of files, as for what is generated."""
    out, folder = tmp_path / "generated", tmp_path / "pages"
    given = ["--out", str(out), "--pages", str(folder)]
    assert main(given) == 0
    assert main([*given, "--check"]) == 0
    page = folder / "craft.md"
    page.write_text(page.read_text(encoding="utf-8").replace("dictionary", "dictoinary"), encoding="utf-8")
    (folder / "README.md").unlink()
    (folder / "stray.md").write_text("# Left\n", encoding="utf-8")
    capsys.readouterr()
    assert main([*given, "--check"]) == 1
    found = capsys.readouterr()
    assert "dictoinary" in found.out
    assert "+++ pages/README.md" in found.out
    assert "--- pages/stray.md\n+++ /dev/null" in found.out
    assert "pages/ is not what spec/ says: run make generate" in found.err
    assert main(given) == 0
    assert not (folder / "stray.md").exists()


def test_another_folder_for_codecs_has_no_pages(tmp_path: Path) -> None:
    """What lies beside it is nothing of ours."""
    assert main(["--out", str(tmp_path / "generated")]) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["generated"]


def test_a_plug_in_need_not_tell_the_parts(spec: Spec, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then the fields of a message's Spark type stand there."""
    monkeypatch.setattr(printing, "plugin_of", lambda one: replace(plugin_of(one), page=None))
    for name, page in print_pages(spec, {}).items():
        well_formed(page)
        if name == "craft.md":
            assert (
                "| `headers.commit_ts[]` | decimal(20,0) | TSO of the transaction; of a watermark the resolved ts. |"
                in page
            )
            assert "| `sizes_length` |" in page
        assert set(re.findall(r"\(#([^)]+)\)", page)) <= set(anchors(page))
        assert "*Says*" not in page


@pytest.mark.parametrize(
    "hostile", ["a|b", "a`b", "`", "<b>", "*a*", "_a_ b_c", "a\nb", "# a", "1. a", "- a", "[a](b)", "\\", "\u202e"]
)
def test_texts_are_shown_as_they_are(hostile: str) -> None:
    """In a cell, in a paragraph and as code."""
    for shown in (text(hostile), mono(hostile), say("{} and {}", hostile, mono(hostile)), series([hostile, hostile])):
        well_formed(f"| a |\n|---|\n| {shown} |\n\n{shown}\n")
        assert not re.match(r"(#|-|\d+\.) ", shown)
        assert not re.search(r"(?<!\\)\]\(", re.sub(r"`[^`]+`", "", shown))
