"""No text of a spec runs, breaks what is printed, or gets lost in it.

The words are those of the meta schemas: a new one is tested as soon as it is there. Each takes hostile texts at every
use that the specs of spec/ and tests/spec_every_word make of it, and is refused with a sentence, or printed so that
Python reads back what the spec says.
"""

from __future__ import annotations

import ast
import json
import keyword
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from protocol_pages.page_shape import well_formed

from tidewire.generator.load import Source, YamlNode, load
from tidewire.generator.meta import validate
from tidewire.generator.model import Spec
from tidewire.generator.pages.printing import print_pages
from tidewire.generator.printing import print_files
from tidewire.generator.render import environment
from tidewire.generator.texts import Code, checked, code, comment, lines, literal, prose

from . import specs
from .words import NAME, TEXT, WIRE, Use, Words

RUNS = 'open("it-ran", "w").close()'
HOSTILE = [
    f'"\n{RUNS}\n"',
    f"'\n{RUNS}\n'",
    f'"""\n{RUNS}\n"""',
    f"'''\n{RUNS}\n'''",
    f"\n{RUNS}\n",
    f"\r{RUNS}\r",
    f"\r\n{RUNS}",
    f"\u2028{RUNS}\u2029{RUNS}\x85{RUNS}\x0b{RUNS}\x0c{RUNS}\x1c",
    "{" + RUNS + "}{0}{}%s%(x)s",
    f'\\"""\n{RUNS}\n\\',
    f'" + {RUNS} + "',
    f"#{{% set x = 1 %}}{{{{ {RUNS} }}}}{{# {RUNS} #}}",
    'ends in "',
    'ends in ""',
    'ends in """',
    "ends in \\",
    'ends in \\"',
    "\x01\x1b[31m\x7f\u202e\ufeff\u00a0é\U0001f600\U000e0001",
    "<b>&amp;'\"</b>",
    '"' * 7 + "\\" * 3 + "'" * 7,
]
TOKEN = re.compile(r"t\d{5}t")

DATA = specs.files()
USES = specs.uses(DATA)
WORDS = {word: kind for name in (*specs.SHARED, "protocol") for word, kind in Words(name).all().items()}
LANGUAGE = {step for word in WORDS for step in word.split("/")}
LIKE = {
    stem: [other for other, one in DATA.items() if one.get("schema_types", {}).get("protocol") == stem] for stem in DATA
}
"""By protocol those that have its types, whose options the lines of types name, too."""


def test_every_word_is_used_by_a_spec() -> None:
    """A word that nobody uses would be tested with nothing."""
    assert set(WORDS) == set(USES)
    assert sum(kind == TEXT for kind in WORDS.values()) > 40


def replaced(texts: dict[str, dict[tuple[str | int, ...], str]]) -> dict[str, Any]:
    return {stem: specs.changed(one, texts.get(stem, {})) for stem, one in DATA.items()}


def with_texts(words: list[str], turn: int) -> tuple[dict[str, Any], dict[str, str]]:
    """The files with a hostile text at every use of these words, and the texts by the token in them."""
    texts: dict[str, dict[tuple[str | int, ...], str]] = {}
    by_token: dict[str, str] = {}
    for word in words:
        for stem, use in USES[word]:
            token = f"t{len(by_token):05d}t"
            hostile = HOSTILE[(len(by_token) + turn) % len(HOSTILE)]
            by_token[token] = f"{hostile}{token}{hostile}"
            texts.setdefault(stem, {})[use.path] = by_token[token]
    return replaced(texts), by_token


@cache
def said(word: str, turn: int) -> tuple[Spec | None, list[Any], dict[str, str]]:
    """What becomes of the files that use a word when it has hostile texts, and the texts by the token in them."""
    data, expected = with_texts([word], turn)
    stems = {stem for stem, _ in USES[word]}
    # what is said in a shared file, any protocol may name
    files = DATA if stems & set(specs.SHARED) else {name for stem in stems for name in needed(stem)}
    return *specs.checked({name: one for name, one in data.items() if name in files}), expected


@pytest.fixture(scope="module")
def taken() -> list[str]:
    """The words that take any text."""
    found = [word for word, kind in WORDS.items() if kind == TEXT and said(word, 0)[0]]
    assert len(found) > 30, found
    return found


def folded(text: str) -> str:
    return " ".join(text.split())


def read_back(name: str, text: str, expected: dict[str, str]) -> set[str]:
    """The tokens in a printed module: each in a string that says all of its text, or in a comment."""
    strings = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant):
            strings += [node.value] if isinstance(node.value, str) else []
        elif isinstance(node, ast.JoinedStr):
            assert not TOKEN.search(ast.unparse(node)), (name, ast.unparse(node))
        else:
            # names of all sorts: what is neither string nor comment
            said_as_code = [one for one in vars(node).values() if isinstance(one, str) and TOKEN.search(one)]
            assert not said_as_code, (name, said_as_code)
    found: set[str] = set()
    for string in map(folded, strings):
        for token in TOKEN.findall(string):
            # paths of fields are formatted when an error names them, so they have doubled braces
            said = folded(expected[token])
            # and texts of blocks are spelled as JSON has them
            spelled = folded(json.dumps(expected[token], ensure_ascii=False)[1:-1])
            assert said in string or said.replace("{", "{{") in string or spelled in string, (name, said, string)
            found.add(token)
    return found


@cache
def compiles(name: str, text: str) -> None:
    """Raises for a module that is none; what was compiled once is not compiled again."""
    compile(text, name, "exec", dont_inherit=True)


def printed(spec: Spec, expected: dict[str, str]) -> tuple[dict[str, str], set[str]]:
    files = print_files(spec)
    found: set[str] = set()
    for name, text in files.items():
        if name.endswith(".py"):
            if TOKEN.search(text):
                found |= read_back(name, text, expected)
            else:
                compiles(name, text)
        for line in text.split("\n"):
            if name.endswith(".pxd") and TOKEN.search(line):
                assert line.lstrip().startswith("#"), (name, line)
        assert text.replace("\n", "").isprintable(), name
    return files, found


@pytest.mark.parametrize("turn", range(0, len(HOSTILE), 7))
def test_texts_are_printed_as_strings_and_comments(turn: int, taken: list[str]) -> None:
    data, expected = with_texts(taken, turn)
    spec, problems = specs.checked(data)
    assert spec is not None, problems
    _, found = printed(spec, expected)
    assert len(found) > 400


def begins(page: str) -> list[str]:
    """As what the lines of a page begin: headings, rows of tables, comments, or nothing of these."""
    return re.findall(r"^(#+ |\||<!--|)", page, re.MULTILINE)


@pytest.mark.parametrize("turn", range(0, len(HOSTILE), 10))
def test_texts_are_shown_on_pages_as_they_are(turn: int, taken: list[str]) -> None:
    """They make no table, heading, link or HTML of their own, and break none."""
    data, expected = with_texts(taken, turn)
    spec, problems = specs.checked(data)
    assert spec is not None, problems
    plain, _ = specs.checked(replaced({}))
    assert plain is not None
    pages = print_pages(spec, {})
    for name, page in print_pages(plain, {}).items():
        well_formed(pages[name])
        assert begins(pages[name]) == begins(page)
    found = set(TOKEN.findall("".join(pages.values())))
    assert found <= set(expected)
    assert len(found) > 400


@pytest.mark.parametrize("turn", [0, 7])
def test_nothing_runs_when_modules_are_imported(turn: int, taken: list[str], tmp_path: Path) -> None:
    spec, _ = specs.checked(with_texts(taken, turn)[0])
    assert spec is not None
    files = print_files(spec)
    for name, text in files.items():
        path = tmp_path / "printed" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "tests.spec_texts.import_printed", str(tmp_path / "printed")],
        cwd=tmp_path,
        env=os.environ | {"TIDEWIRE_PURE": "1", "PYTHONPATH": str(specs.ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.split()) == sum(name.endswith(".py") for name in files)
    assert not list(tmp_path.rglob("it-ran"))


@pytest.mark.parametrize("word", [word for word, kind in WORDS.items() if kind == TEXT])
def test_a_word_that_does_not_take_a_text_says_so(word: str, taken: list[str]) -> None:
    if word in taken:
        return
    for turn in range(0, len(HOSTILE), 4):
        spec, problems, expected = said(word, turn)
        if spec is not None:
            printed(spec, expected)
            continue
        assert_told(problems)


def assert_told(problems: list[Any]) -> None:
    assert problems
    for one in problems:
        assert all((one.file, one.line, one.text))
        assert str(one).isprintable()


def own(word: str) -> tuple[str, Any]:
    """Of the first use of a word: the file's stem, and the value or key."""
    # a key that is also the name of a member, or a word, would be another there as well
    own = (one for one in USES[word] if one[1].key and not str(one[1].path[-1]).islower())
    stem, use = next(own, USES[word][0]) if USES[word][0][1].path[-1] in LANGUAGE else USES[word][0]
    given: Any = DATA[stem]
    for step in use.path[:-1]:
        given = given[step]
    return stem, use.path[-1] if use.key else given[use.path[-1]]


def needed(stem: str) -> list[str]:
    """The files without which this one is not understood, and itself."""
    return [name for name in DATA if name in (*specs.SHARED, stem, *LIKE.get(stem, ()))]


def with_names(stem: str, names: Mapping[str, str]) -> tuple[Spec | None, list[Any]]:
    """What becomes of the shared files and this one when names are others everywhere."""
    return specs.checked({name: specs.renamed(DATA[name], names) for name in needed(stem)})


@pytest.mark.parametrize("word", [word for word, kind in WORDS.items() if kind == WIRE])
def test_names_of_the_wire(word: str) -> None:
    for hostile in HOSTILE[::3] + HOSTILE[8:12]:
        stem, old = own(word)
        token = f"{hostile}t00000t{hostile}"
        spec, problems = with_names(stem, {old: token})
        if any(ord(one) < 32 or ord(one) == 127 for one in hostile):
            assert spec is None
            assert_told(problems)
        else:
            assert spec is not None, problems
            printed(spec, {"t00000t": token})


@pytest.mark.parametrize("bad", ["{}\n", '{}"'], ids=["newline", "quote"])
def test_names_have_the_characters_of_names(bad: str) -> None:
    """The end of a pattern is the end of the name: a newline behind it is none."""
    uses = []
    for word, kind in WORDS.items():
        stem, old = own(word)
        if kind == NAME and isinstance(old, str):
            uses.append((stem, USES[word][0][1], old))
    for stem, turns in apart(uses).items():
        for turn in turns:
            data = DATA[stem]
            for use, old in turn.items():
                new = bad.format(old)
                data = rekeyed(data, use.path, new) if use.key else specs.changed(data, {use.path: new})
            top, problems = load(Source(f"spec/{stem}.yaml", specs.yaml(data).encode()))
            assert top is not None, problems
            problems = validate(top, stem if stem in specs.SHARED else "protocol")
            assert_told(problems)
            told = {one.path for one in problems}
            for use, old in turn.items():
                path = (*use.path[:-1], bad.format(old)) if use.key else use.path
                assert place(top, path) in told, (use, old, told)


def place(top: YamlNode, path: tuple[str | int, ...]) -> str:
    """What reports call a place in a file."""
    for step in path:
        top = top.list()[step] if isinstance(step, int) else top[step]
    return top.location.path


def apart(uses: Iterable[tuple[str, Use, str]]) -> dict[str, list[dict[Use, str]]]:
    """Uses by their file, with what they have there, in turns: in a turn none is part of another."""
    found: dict[str, list[dict[Use, str]]] = {}
    for stem, use, value in uses:
        turns = found.setdefault(stem, [])
        free = (turn for turn in turns if not any(inside(use, one) or inside(one, use) for one in turn))
        turn = next(free, None)
        if turn is None:
            turns.append(turn := {})
        turn[use] = value
    return found


def inside(one: Use, other: Use) -> bool:
    return one.path[: len(other.path)] == other.path


def rekeyed(data: Any, path: tuple[str | int, ...], new: str) -> Any:
    if isinstance(data, list):
        return [rekeyed(one, path[1:], new) if at == path[0] else one for at, one in enumerate(data)]
    if len(path) == 1:
        return {new if key == path[0] else key: below for key, below in data.items()}
    return {key: rekeyed(below, path[1:], new) if key == path[0] else below for key, below in data.items()}


KEYWORDS = [one for one in keyword.kwlist if one not in ("True", "False", "None", "class", "yield")]
"""Words of Python that are no value where a name should be."""


@cache
def with_word_of_python(stem: str, old: str, new: str) -> bool:
    """Whether a name can be this word; where it cannot, it is told so."""
    spec, problems = with_names(stem, {old: new})
    if spec is None:
        assert_told(problems)
    return spec is not None


def test_names_that_are_words_of_python() -> None:
    """They are refused, or Python reads what is printed: of each protocol all at once, each name another word."""
    accepted: dict[str, dict[str, str]] = {}
    for word, kind in WORDS.items():
        stem, old = own(word)
        none = word.endswith("/name")
        if kind == NAME and isinstance(old, str) and with_word_of_python(stem, old, "None" if none else "class"):
            names = accepted.setdefault(stem, {})
            names.setdefault(old, "None" if none else KEYWORDS[len(names)])
    assert len(accepted) > 6
    for stem, names in accepted.items():
        spec, problems = with_names(stem, names)
        assert spec is not None, problems
        printed(spec, {})


@pytest.mark.parametrize("bad", ["\0", "\U0000d800"], ids=["nul", "surrogate"])
def test_characters_that_no_text_has(bad: str) -> None:
    uses = [(*USES[word][-1], f"a{bad}") for word, kind in WORDS.items() if kind == TEXT]
    for stem, turns in apart(uses).items():
        for turn in turns:
            texts = {use.path: text for use, text in turn.items()}
            files = {name: DATA[name] for name in needed(stem)} | {stem: specs.changed(DATA[stem], texts)}
            spec, problems = specs.checked(files)
            assert spec is None, stem
            assert_told(problems)
            assert len({one.path for one in problems}) == len(problems) == len(turn)
            for one in problems:
                assert one.text == f"has the character U+{ord(bad):04X}, which no text can have"
                assert one.remedy
                assert one.path


# ---- that a template cannot forget


@pytest.mark.parametrize("text", HOSTILE)
def test_a_template_cannot_print_a_text_as_it_is(text: str) -> None:
    for template in ("{{ x }}", "{% macro m() %}{{ x }}{% endmacro %}{{ m() }}", "{{ 'a' ~ x }}", "{{ x | code }}"):
        with pytest.raises(TypeError):
            environment().from_string(template).render(x=text)
    with pytest.raises(TypeError):
        checked(text)
    with pytest.raises(TypeError):
        code(text)


@pytest.mark.parametrize("text", HOSTILE)
def test_each_way_says_the_text(text: str) -> None:
    assert ast.literal_eval(literal(text)) == text
    assert ast.literal_eval(f"({lines(text, 0)})") == folded(text)
    assert folded(ast.literal_eval(f'"""{prose(text)}"""')) == folded(text)
    assert comment(text).isprintable()
    assert isinstance(literal(text), Code)


def test_words_pass_as_they_are() -> None:
    assert environment().from_string("{{ a }} {{ n }} {{ b }}").render(a="put_int", n=3, b=True) == "put_int 3 True"
