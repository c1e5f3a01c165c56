"""Bad specs and their exact reports, the strictness of the loader, and the spec that uses every word."""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from bad_specs import MORE_BASES, BadSpec, bad_specs, base, beside, case
from words_of_schemas import used_words, words_of

from tidewire.generator import check, meta, plugins
from tidewire.generator.binary.model import Section
from tidewire.generator.binary.order import SectionFinding
from tidewire.generator.binary.resolve import ClaimedBy, NumberKind, resolve
from tidewire.generator.folders import folders
from tidewire.generator.load import MAX_DEPTH, Source, load
from tidewire.generator.passes import SHARED_PASSES, STAGES
from tidewire.generator.plugins import PLUGINS
from tidewire.generator.problems import Problem, did_you_mean, report

TESTS = Path(__file__).resolve().parent
SPEC = TESTS.parent / "spec"
GENERATOR = Path(inspect.getfile(check)).parent
PROTOCOLS = tuple(plugin.name for plugin in PLUGINS)
"""The bases that are protocols, by the plug-in that reads them."""


def checked(file: str, text: str, of: str = "") -> list[Problem]:
    """The problems of a file, together with the shared files whose place it does not take, and protocols beside it."""
    others = [Source(f"shared/{one}.yaml", base(one).encode()) for one in check.SHARED if one != Path(file).stem]
    others += [Source(name, other.encode()) for name, other in beside(of).items()]
    spec, problems = check.check_sources([Source(file, text.encode()), *others], "spec_bad")
    assert (spec is None) == bool(problems)
    return problems


@pytest.mark.parametrize("bad", bad_specs(), ids=lambda bad: bad.id)
def test_bad_spec(bad: BadSpec) -> None:
    assert bad.report, "the case does not say which line has which problem"
    assert report(checked(bad.file, bad.text, bad.base)).splitlines() == list(bad.report)


@pytest.mark.parametrize("name", [*PROTOCOLS, *MORE_BASES])
def test_what_bad_specs_are_made_of_is_right(name: str) -> None:
    assert report(checked("spec_bad/wrong.yaml", base(name), name)) == ""


@pytest.mark.parametrize("of", [*PROTOCOLS, *check.SHARED])
def test_every_pass_has_bad_specs(of: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """And it is the pass that finds something wrong with them, no other instead of it."""
    found: set[str] = set()

    def watched(one: Callable[..., list[Problem]]) -> Callable[..., list[Problem]]:
        def run(context: Any) -> list[Problem]:
            problems = one(context)
            found.update({pass_name(one)} if problems else ())
            return problems

        return run

    monkeypatch.setattr(check, "SHARED_PASSES", [watched(one) for one in SHARED_PASSES])
    monkeypatch.setattr(check, "STAGES", {stage: tuple(map(watched, passes)) for stage, passes in STAGES.items()})
    watching = []
    for plugin in PLUGINS:
        passes = {stage: tuple(map(watched, own)) for stage, own in plugin.passes.items()}
        watching.append(replace(plugin, passes=passes))
    monkeypatch.setattr(plugins, "PLUGINS", tuple(watching))
    missing = passes_over(of)
    for bad in bad_specs():
        if bad.of == of:
            found.clear()
            checked(bad.file, bad.text, bad.base)
            assert (bad.refused_by in found) == bool(found), f"{bad.id} is refused by {found}"
            assert bool(found) == (bad.refused_by not in NO_PASSES), f"{bad.id} is refused by {found}"
            missing.discard(bad.refused_by)
    assert not missing, f"no bad spec for {missing}"


def passes_over(of: str) -> set[str]:
    """What refuses specs that are made of a base, by its name in the names of their files."""
    if of in check.SHARED:
        return {pass_name(one) for one in SHARED_PASSES} & {f"shared_{of}"}
    plugin = next(one for one in PLUGINS if one.name == of)
    every = [one for passes in (*plugin.passes.values(), *STAGES.values()) for one in passes]
    unread = {
        one for one, word in PASSES_OVER_A_WORD.items() if not any(word in words for words in plugin.roots.values())
    }
    return {"shape", "layout", *map(pass_name, every)} - unread


def test_every_file_of_passes_is_run() -> None:
    """One that nobody calls would find nothing, and no bad spec would be missing."""
    every = [*SHARED_PASSES]
    for stages in (STAGES, *(plugin.passes for plugin in PLUGINS)):
        every += [one for passes in stages.values() for one in passes]
    files = {path for path in GENERATOR.rglob("passes/*.py") if "\ndef check(" in path.read_text(encoding="utf-8")}
    assert {inspect.getfile(one) for one in every} == set(map(str, files))


def test_the_loader_has_bad_specs() -> None:
    assert any(bad.refused_by == "yaml" for bad in bad_specs())


NO_PASSES = ("yaml", "shape", "layout", "unread")
"""What else refuses a spec: the loader, the JSON Schema, who looks for its plug-in, and, when no pass finds anything,
who looks for words that nothing reads.
"""


PASSES_OVER_A_WORD = {
    "gathered": "batching",
    "large": "large",
    "schema_type_lines": "schema_types",
    "schema_type_links": "schema_types",
}
"""Passes that look at one word of a protocol only, which a plug-in need not read."""


def pass_name(check: Callable[..., list[Problem]]) -> str:
    """The file of a pass, without suffix."""
    return check.__module__.rpartition(".")[2]


def test_every_container_of_the_language_is_known_to_a_plug_in() -> None:
    assert {kind for plugin in PLUGINS for kind in plugin.containers} == set(meta.containers())
    assert [plugin.name for plugin in PLUGINS] == [folder.name for folder in folders()]
    assert {"binary", "frames", "json"} <= set(PROTOCOLS)
    roots = [kind for plugin in PLUGINS for kind in plugin.roots]
    assert len(roots) == len(set(roots)), "a value is read by one plug-in"
    assert all(set(plugin.roots) <= set(plugin.containers) for plugin in PLUGINS)


def test_plug_ins_say_the_same_of_the_same_mistake() -> None:
    """Passes over what protocols mean are shared: a mistake has one sentence, whatever the layout.

    What cannot be said wrong in the words of a plug-in's containers stands in `tests/spec_bad/PLUG-IN/impossible.txt`.
    """
    said: dict[str, set[str]] = {}
    for bad in bad_specs():
        for line in bad.report if bad.base in PROTOCOLS else ():
            for sentence in MISTAKES:
                if sentence in line:
                    said.setdefault(bad.base, set()).add(sentence)
    assert {name: MISTAKES - found for name, found in said.items()} == {name: impossible(name) for name in PROTOCOLS}


def test_every_sentence_of_the_passes_is_brought_about() -> None:
    """A problem that no bad spec has could be worded, or found, in any way."""
    said = "\n".join(line for bad in bad_specs() for line in bad.report)
    unsaid = [
        f"{path.relative_to(GENERATOR)}:{line} {piece!r}"
        for path in sorted(GENERATOR.rglob("passes/*.py"))
        for line, piece in pieces_of_sentences(ast.parse(path.read_text(encoding="utf-8")))
        if piece not in said and piece.replace("{{", "{").replace("}}", "}") not in said
    ]
    assert not unsaid, "no bad spec has a problem with these words"


def pieces_of_sentences(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The texts of several words that a module puts together, each with its line: no docstrings, and not what there is
    several of (`named` and `unknown`), which only stands in a report when no name is similar."""
    left_out = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            several = {"named": node.args[3:4], "unknown": node.args[4:5]}.get(node.func.id, [])
            left_out |= {id(one) for argument in several for one in ast.walk(argument)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in left_out:
            for piece in node.value.split("{}"):
                words = piece.strip(" .,:")
                if " " in words:
                    yield node.lineno, words


def test_pieces_of_sentences() -> None:
    tree = ast.parse(
        '"""A text."""\nproblem(f"the {a} is not {b} but a {c}", "Say {} in it.")\nnamed(a, "a b", c, "d e")'
    )
    assert set(pieces_of_sentences(tree)) == {(2, "is not"), (2, "but a"), (2, "in it"), (3, "a b")}


def impossible(plugin: str) -> set[str]:
    """The mistakes that specs of a plug-in cannot have."""
    path = TESTS / "spec_bad" / plugin / "impossible.txt"
    return set(path.read_text(encoding="utf-8").splitlines()) if path.exists() else set()


MISTAKES = {
    "the kind of an event follows from the case",
    "which nothing carries",
    "is carried twice, first in line",
    "and nothing stands for absent",
    "have no field",
    "have no row image",
    "have the row image",
    "says the columns' types already",
    "nothing says the columns' types, so nothing says how rows are read",
    "have a case already, in line",
    "are columns without values, which only the description of a table says",
    "nothing says when events of class",
    "no case carries events of class",
    "no rows are written by the value table",
}


def test_a_case_that_does_not_fit_its_base_is_refused() -> None:
    for body, reason in (
        ("-title: Another\n+title: x\n", "stand 0 times in the base, not once"),
        (" parts:\n...\n+title: x\n", "no line of the base stands before"),
        (" title: A test\n*title: x\n", "begins with none of"),
    ):
        with pytest.raises(ValueError, match=reason):
            case("binary", "links", "x", body)


def test_all_problems_of_all_files_in_one_sorted_report() -> None:
    zebra = base("binary").replace("protocol: wrong", "protocol: zebra").replace("part: tables", "part: tabels")
    files = [
        Source("spec_bad/zebra.yaml", zebra.encode()),
        Source("spec_bad/events.yaml", base("events").replace("type: uint64", "type: uint46").encode()),
        Source("spec_bad/mysql_types.yaml", base("mysql_types").replace("bit: 2,", "bit: 2").encode()),
        Source("spec_bad/primitives.yaml", b"language: 3\n"),
    ]
    spec, problems = check.check_sources(files, "spec_bad")
    assert spec is None
    assert problems == sorted(problems)
    assert {one.file for one in problems} == {one.name for one in files} - {"spec_bad/zebra.yaml"}


def test_missing_shared_files_are_reported(tmp_path: Path) -> None:
    (tmp_path / "spec").mkdir()
    spec, problems = check.load_spec(tmp_path / "spec")
    assert spec is None
    assert report(problems) == "".join(
        f"spec/{stem}.yaml:1  the file is missing. Every directory of specs needs it.\n"
        for stem in ("events", "mysql_types", "primitives")
    )


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", "x/a.yaml:1  the file is empty. Write the spec or remove the file.\n"),
        (b"# nothing\n", "x/a.yaml:1  the file is empty. Write the spec or remove the file.\n"),
        (b"a: 1\nb: \xff\n", "x/a.yaml:2  is not UTF-8 text. Save the file as UTF-8.\n"),
        (b"a: 1\nb: [\n", "x/a.yaml:3  is not YAML: expected the node content, but found '<stream end>'.\n"),
        (b"a: \x00\n", "x/a.yaml:1  is not YAML: unacceptable character #x0000: special characters are not allowed.\n"),
        (b"&x a: 1\n", "x/a.yaml:1  a: the anchor &x is refused. Write the value out where it belongs.\n"),
        (
            b"2020-01-01: 1\n",
            'x/a.yaml:1  2020-01-01: the key 2020-01-01 is read as a date, not as text. Quote it: "2020-01-01".\n',
        ),
        (b"[a]: 1\n", "x/a.yaml:1  a key is not text. Keys are plain words.\n"),
        (b"a:\n  b:\n", 'x/a.yaml:2  a.b: the value (empty) is read as nothing. Quote it if the text is meant: "".\n'),
        (
            b"a: 2020-01-01\n",
            'x/a.yaml:1  a: 2020-01-01 is read as a date by YAML. Quote it if the text is meant: "2020-01-01".\n',
        ),
        (b"a: " + b"9" * 5000 + b"\n", "x/a.yaml:1  a: is a number of too many digits. Write at most 40.\n"),
        (b"a:\n  &x b\n", "x/a.yaml:2  a: the anchor &x is refused. Write the value out where it belongs.\n"),
    ],
)
def test_yaml_that_is_refused(data: bytes, expected: str) -> None:
    _, problems = load(Source("x/a.yaml", data))
    assert report(problems) == expected


def test_did_you_mean() -> None:
    assert did_you_mean("hedaers", ["bodies", "headers"], "sections") == 'Did you mean "headers"?'
    assert did_you_mean("x", ["bodies", "headers"], "sections") == "Legal sections: bodies, headers."
    many = [f"section_{number}" for number in range(13)]
    assert did_you_mean("x", many, "sections") == "There are 13 sections, none of a similar name."
    assert did_you_mean("x", [], "options") == "There are none."


def test_deep_nesting_is_refused() -> None:
    node, problems = load(Source("x/a.yaml", b"a: " + b"[" * 3000 + b"]" * 3000))
    assert node is None
    assert [one.text for one in problems] == [f"is nested more than {MAX_DEPTH} deep"]


def test_scalars_and_places() -> None:
    text = b'a: {x: -12, y0: 0x1F, z: 1.5}\nb:\n  - {id: first, f: true}\n  - plain text\n  - "010"\n'
    node, problems = load(Source("x/a.yaml", text))
    assert node is not None
    assert not problems
    assert node.plain() == {"a": {"x": -12, "y0": 31, "z": 1.5}, "b": [{"id": "first", "f": True}, "plain text", "010"]}
    assert str(node["b"].list()[0]["f"].location) == "x/a.yaml:3  b.first.f"
    assert str(node["b"].list()[1].location) == "x/a.yaml:4  b.1"


# --- spec/ and the spec that uses every word ------------------------------------------------------------------------


def test_the_specs_have_no_problems() -> None:
    spec, problems = check.load_spec(SPEC)
    assert report(problems) == ""
    assert spec is not None


def every_word() -> Any:
    spec, problems = check.load_spec(TESTS / "spec_every_word", shared=SPEC)
    assert report(problems) == ""
    assert spec is not None
    return spec


def test_reading_order_is_computed() -> None:
    spec = every_word()
    found = resolve(spec, spec.protocols["every_word"])
    order = found.orders["envelope"]
    assert [(step.section.id, step.located) for step in order.steps] == [
        ("magic", SectionFinding.BY_READING),
        ("scale", SectionFinding.BY_READING),
        ("counts_length", SectionFinding.BY_READING),
        ("counts", SectionFinding.BY_SIZE),
        ("words_length", SectionFinding.FROM_END),
        ("words", SectionFinding.FROM_END),
        ("tables", SectionFinding.BY_READING),
        ("ids", SectionFinding.BY_SIZE),
        ("marks", SectionFinding.BY_SIZE),
        ("bodies", SectionFinding.BY_EACH),
    ]
    assert [section.id for section in order.back] == ["words", "words_length"]
    needs = {str(step.section.id): set(step.needs) for step in order.steps}
    assert needs["tables"] == {"counts", "words"}
    assert needs["bodies"] == {"counts", "marks"}


def test_every_number_has_one_deriving_claim() -> None:
    spec = every_word()
    found = resolve(spec, spec.protocols["every_word"])
    derived = {one.number.name: (one.by, str(one.section.id)) for one in found.claims if one.derives}
    assert derived == {
        "counts_length": (ClaimedBy.SIZE, "counts"),
        "counts.parts.ids": (ClaimedBy.SIZE, "ids"),
        "counts.parts.marks": (ClaimedBy.SIZE, "marks"),
        "counts.events": (ClaimedBy.EACH, "bodies"),
        "counts.images": (ClaimedBy.EACH, "images"),
        "words_length": (ClaimedBy.SIZE, "words"),
        "side": (ClaimedBy.IMAGE, "images"),
        "length": (ClaimedBy.SIZE, "columns"),
        "number": (ClaimedBy.COUNT, "columns"),
    }
    assert found.switch.events.kind is NumberKind.ROW
    assert found.claim(found.switch.events).section is found.switch.section
    assert [one.by for one in found.claims_by(found.root.sections[5])] == [ClaimedBy.SIZE, ClaimedBy.COUNT]


def test_bindings_and_terms() -> None:
    spec = every_word()
    found = resolve(spec, spec.protocols["every_word"])
    carried = {name: one.section.id for name, one in found.bindings_of("change").items()}
    assert carried == {
        "commit_ts": "marks",
        "table": "tables",
        "table_id": "ids",
        "schema": "schema",
        "partition_id": "partition",
        "row_key": "key",
        "handle_key_only": "slim",
        "claim_check": "claim",
    }
    assert [(one.terms.id, one.field.id, one.in_image) for one in found.interns] == [("words", "tables", False)]
    images = found.cases["change"].images
    assert images is not None
    assert list(images.parts) == ["name", "type", "flags", "value"]
    assert isinstance(images.section, Section)


@pytest.mark.parametrize(
    ("kind", "paths"),
    [
        ("protocol", sorted((TESTS / "spec_every_word").glob("*.yaml"))),
        ("events", [SPEC / "events.yaml"]),
        ("mysql_types", [SPEC / "mysql_types.yaml"]),
        ("primitives", [SPEC / "primitives.yaml"]),
    ],
)
def test_every_word_is_used(kind: str, paths: list[Path]) -> None:
    unused: dict[str, str] = {}
    schema = meta.schema(kind)
    unused |= words_of(schema)
    for path in paths:
        node, _ = load(Source(path.name, path.read_bytes()))
        assert node is not None
        for pointer in used_words(schema, node.plain()):
            unused.pop(pointer, None)
    assert not unused, f"{paths} do not use {unused}"


def test_the_schemas_of_containers_only_add() -> None:
    """What all parts can say stands once, and no container says it otherwise."""
    common = json.loads((meta.SCHEMAS / "protocol.schema.json").read_text(encoding="utf-8"))
    seen = set(common["$defs"])
    for kind in meta.containers():
        own = meta.container(kind)
        assert set(own) <= {"$schema", "title", "properties", "chapters", "$defs"}
        assert kind in own["properties"]
        assert "about" not in own["properties"]
        assert not seen & set(own.get("$defs", {}))
        seen |= set(own.get("$defs", {}))


def test_every_word_is_explained() -> None:
    """spec/README.md has every key and every choice of the meta-schemas, in code font."""
    readme = (SPEC / "README.md").read_text(encoding="utf-8")
    code = " ".join(re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", readme, flags=re.DOTALL)))
    explained = set(re.findall(r"\w+", code))
    for kind in (*check.SHARED, meta.PROTOCOL):
        for pointer, word in words_of(meta.schema(kind)).items():
            words = set(re.findall(r"\w+", word)[1:])
            assert words <= explained, f"spec/README.md does not explain {word} of {kind} ({pointer})"


def test_the_example_on_the_page_is_a_protocol() -> None:
    readme = (SPEC / "README.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```yaml\n(protocol: small\n.*?)```", readme, flags=re.DOTALL)
    shared = [Source(f"spec/{stem}.yaml", (SPEC / f"{stem}.yaml").read_bytes()) for stem in check.SHARED]
    spec, problems = check.check_sources([Source("spec/small.yaml", example.encode()), *shared], "spec")
    assert report(problems) == ""
    assert spec is not None


def test_every_primitive_chunk_and_codec_is_used() -> None:
    """The specs together use what the runtime can do, except bytes, for which events have no field."""
    spec, _ = check.load_spec(SPEC)
    assert spec is not None
    texts = "".join(path.read_text() for path in [*SPEC.glob("*.yaml"), *(TESTS / "spec_every_word").glob("*.yaml")])
    for word, names in (
        ("type", spec.primitives.primitives),
        ("type|chunk", spec.primitives.chunks),
        (r"codec|json|record|flagged: \{\w+", spec.primitives.codecs),
    ):
        for name in names:
            assert re.search(rf"\b(?:{word}): {name}\b", texts) or name == "bytes", f"{word}: {name} is used by no spec"
