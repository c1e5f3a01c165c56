"""DDL statements taken apart: what each part does, in order, and what is not understood."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from timed import fastest

from tables.altered_made import altered_tables
from tables.damaged import damaged
from tidewire.runtime.tables.sql_altered import Name, Unknown, actions_of
from tidewire.runtime.tables.sql_defaults import Default
from tidewire.tables import TableDescription

TYPES = TableDescription.TYPES
HERE = Name("s", "t")


def told(action: Any) -> str:
    """An action in short: what is as when nothing is said is left out, and the table where it is s.t."""
    words = [type(action).__name__]
    for field in dataclasses.fields(action):
        value = getattr(action, field.name)
        if value == field.default or (field.name in ("table", "partitioned") and value == HERE) or value == ():
            continue
        words.append(f"{field.name}={_text(value)}" if field.name not in ("table", "name") else _text(value))
    return " ".join(words)


def _text(value: Any) -> str:
    if isinstance(value, Default):
        return f"{value.kind}:{value.text}"
    if isinstance(value, tuple) and value and dataclasses.is_dataclass(value[0]):
        return "[" + ", ".join(told(one).partition(" ")[2] for one in value) + "]"
    return ".".join(value) if isinstance(value, Name) else ",".join(value) if isinstance(value, tuple) else str(value)


def read(statement: str, **more: Any) -> list[str]:
    return [told(one) for one in actions_of(statement, TYPES, "s", **more)]


FOLDER = Path(__file__).parent / "altered"


def blocks(name: str) -> list[tuple[str, list[str]]]:
    """The lines of a file, each with the lines below it that begin with spaces."""
    found: list[tuple[str, list[str]]] = []
    for line in (FOLDER / name).read_text("utf-8").splitlines():
        if line.startswith("    "):
            found[-1][1].append(line.strip())
        else:
            found.append((line, []))
    return found


def listed(name: str) -> list[tuple[str, str]]:
    """The lines that begin with spaces, each behind the one that it stands below."""
    return [(line, one) for line, every in blocks(name) for one in every]


ODD = [
    ("", ["NoEffect reason=nothing"]),
    ("add `a\0b` int", ["AddColumn a\0b type=int"]),
    ("add c int -- not null\n default 1 # 2", ["AddColumn c type=int default=number:1"]),
    ("add c varchar(9) default 'a\\'b\\n'", ["AddColumn c type=varchar(9) default=text:a'b\n"]),
]
"""Parts that no line has room for."""
UNIQUE = (
    "add unique (a)",
    "add unique key if not exists u (a)",
    "add constraint u unique (a)",
    "drop index k",
    "drop key if exists k",
)


@pytest.mark.parametrize(("part", "wanted"), [*blocks("parts.txt"), *ODD])
def test_parts_of_alter_table(part: str, wanted: list[str]) -> None:
    assert read(f"ALTER TABLE `s`.`t` {part}") == wanted


@pytest.mark.parametrize(("reason", "part"), listed("parts_without_effect.txt"))
def test_parts_without_effect(reason: str, part: str) -> None:
    found = read(f"alter table t {part}, drop z" if not _last(part) else f"alter table t drop z, {part}")
    assert "DropColumn z" in found
    found.remove("DropColumn z")
    assert set(found) <= {f"NoEffect reason={reason}", f"NoEffect reason={reason} unique=True"}, found


def _last(part: str) -> bool:
    """Whether nothing can stand behind it."""
    return part.startswith(("reorganize partition", "analyze"))


@pytest.mark.parametrize("part", UNIQUE)
def test_indexes_by_which_rows_may_be_told_apart(part: str) -> None:
    assert read(f"alter table t {part}") == ["NoEffect reason=an index unique=True"]


@pytest.mark.parametrize(("statement", "wanted"), blocks("statements.txt"))
def test_statements(statement: str, wanted: list[str]) -> None:
    assert read(statement) == wanted


@pytest.mark.parametrize(("reason", "text"), listed("statements_without_effect.txt"))
def test_statements_of_no_table(reason: str, text: str) -> None:
    assert read(text) == [f"NoEffect reason={reason}"]


@pytest.mark.parametrize("statement", ["\0", *(line for line, _ in blocks("not_understood.txt"))])
def test_what_is_not_understood(statement: str) -> None:
    found = actions_of(statement, TYPES, "s")
    last = found[-1]
    assert isinstance(last, Unknown)
    assert last.text in statement
    assert last.reason


def test_what_is_not_understood_ends_the_statement() -> None:
    """Where it ends is not understood either."""
    text = "alter table t drop a /* b */, frobnicate /* c */ x, drop d; truncate t"
    assert [told(one).partition(" reason=")[0] for one in actions_of(text, TYPES, "s")] == [
        "DropColumn a",
        "Unknown text=frobnicate /* c */ x, drop d",
        "Truncate",
    ]


def test_nothing_is_said_of_a_part_that_is_not_understood_to_its_end() -> None:
    for text in (
        "alter table t change a b int nonsense",
        "alter table t drop a nonsense",
        "alter table t add (a int, b nonsense)",
        "alter table t rename to u nonsense",
        "drop table a, b nonsense",
        "rename table a to b, c",
    ):
        (found,) = actions_of(text, TYPES, "s")
        assert isinstance(found, Unknown)


@pytest.mark.parametrize("statement", ["", " ", ";", "-- truncate t", "/* truncate t */", "# truncate t"])
def test_no_statement(statement: str) -> None:
    assert actions_of(statement, TYPES) == (Unknown(statement, "there is no statement in this text"),)


def test_a_dropped_column_of_the_key_changes_it() -> None:
    statement = "alter table t drop a, drop B, drop c"
    assert read(statement, key=("b", "c")) == [
        "DropColumn a",
        "DropColumn B",
        "ChangedKey change=dropped columns=b,c",
        "DropColumn c",
    ]
    assert "ChangedKey" not in "".join(read(statement))
    assert read("alter table t rename column b to z", key=("b",)) == ["RenameColumn old=b new=z"]


HOSTILE: dict[str, Callable[[int], str]] = {
    "parentheses": lambda n: "alter table t add a int default " + "(" * 10 * n,
    "pairs of parentheses": lambda n: "alter table t add a int default " + "(" * 5 * n + "1" + ")" * 5 * n,
    "a quote": lambda n: "alter table t add a int default '" + "\\'" * 10 * n,
    "marks of comments": lambda n: "alter table t " + "/*!" * 5 * n + "*/" * 5 * n,
    "comments": lambda n: "/*" * 10 * n,
    "parts": lambda n: "alter table t " + "drop a, " * n + "drop b",
    "parts that are not understood": lambda n: "alter table t " + "foo, " * 3 * n,
    "columns": lambda n: "alter table t " + ", ".join(["add a int"] * n),
    "columns in parentheses": lambda n: "alter table t add (" + ", ".join(["a int"] * n) + ")",
    "defaults": lambda n: "alter table t " + ", ".join(["alter a set default ((1))"] * n),
    "statements": lambda n: "drop x; " * n,
    "semicolons": lambda n: ";" * 20 * n,
    "backquotes": lambda n: "`" * (20 * n + 1),
    "zeros": lambda n: "\0" * 20 * n,
    "points": lambda n: "alter table " + "a." * 10 * n,
    "partitions": lambda n: "alter table t drop partition " + ", ".join(["p"] * 3 * n),
    "lines": lambda n: "alter table t " + "foo\n, " * 3 * n,
    "labels": lambda n: "alter table t add a enum(" + ", ".join(["'x'"] * 3 * n) + ")",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_time_grows_with_the_text(text: Callable[[int], str]) -> None:
    """A text of four times the length takes about four times as long; with a square it would be sixteen times."""
    short, long = text(2_000), text(8_000)
    once = fastest(lambda: actions_of(short, TYPES, "s"), times=2)
    assert fastest(lambda: actions_of(long, TYPES, "s"), times=2) < 9 * once + 0.1


def test_a_megabyte_of_parentheses() -> None:
    for text in ("(" * 1_000_000, "alter table t add a int default " + "(" * 500_000 + ")" * 499_999):
        (found,) = actions_of(text, TYPES, "s")
        assert isinstance(found, Unknown)


def test_damaged_statements_are_read_or_not_understood() -> None:
    """Nothing else comes of them, and no error."""
    random = Random(33)
    sound = [f"ALTER TABLE `s`.`t` {part}" for part, _ in blocks("parts.txt")]
    sound += [statement for statement, _ in blocks("statements.txt")]
    for _ in range(3_000):
        text = damaged(random, random.choice(sound))
        found = actions_of(text, TYPES, "s")
        assert found
        assert sum(isinstance(one, Unknown) for one in found) <= text.count(";") + 1


@given(altered_tables())
def test_statements_made_of_parts(made: tuple[str, list[Any]]) -> None:
    text, wanted = made
    assert list(actions_of(text, TYPES, "s")) == wanted
