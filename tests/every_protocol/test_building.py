"""Columns built from event objects equal those of a plain builder: columns, layouts and errors."""

from __future__ import annotations

import abc
import enum
import gc
from collections.abc import Iterator, Mapping
from random import Random
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pytest

from every_protocol.naive_building import NaiveBuilder
from tidewire import canal_json, craft, open_protocol
from tidewire.events import FIELDS, KINDS, Bootstrap, Column, Ddl, Event, Events, RowChange, Watermark
from tidewire.mysql import storage
from tidewire.runtime.batch import EventColumns, columns_cache
from tidewire.runtime.batch.building import EventBuilder
from tidewire.runtime.errors import EncodeError

pytestmark = pytest.mark.codec


class Number(enum.IntEnum):
    """Numbers and texts of classes of their own are values like any."""

    ONE = 1
    HUGE = 2**64 - 1


class Word(str, enum.Enum):  # noqa: UP042
    """Of which `str` says something else than what it is."""

    YES = "yes"


class Blob(bytes):
    """Which gives itself where bytes are asked for."""

    def __bytes__(self) -> bytes:
        return self


class Lazy(Mapping[str, Any]):
    """A mapping that is no dict."""

    def __init__(self, found: Mapping[str, Any]) -> None:
        self.found = found

    def __getitem__(self, name: str) -> Any:
        return self.found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)


class Upper(dict[str, Any]):
    """A dict with a mind of its own."""

    def __getitem__(self, name: str) -> Any:
        value = super().__getitem__(name)
        return value.upper() if isinstance(value, str) else value


TYPES = [
    (3, 0),
    (3, 128),
    (8, 64),
    (5, 0),
    (4, 0),
    (15, 0),
    (15, 1),
    (252, 1),
    (246, 0),
    (245, 0),
    (16, 128),
    (6, 0),
    (999, 0),
]
GOOD: dict[str, list[Any]] = {
    "int": [0, -1, 2**63 - 1, -(2**63), True, Number.ONE, None],
    "uint": [0, 7, 2**64 - 1, False, Number.HUGE, None],
    "float": [0.0, -0.0, 1, True, 2**53, 1e308, float("inf"), None],
    "text": ["", "plain", "naïve", "中文", "\U0001f600", "a\0b", b"\xff\xfe", b"", Word.YES, Blob(b"z"), None],
    "decimal": ["0", "-1.50", "9" * 65, None],
    "bytes": [b"", b"\0\xff", bytearray(b"xy"), memoryview(b"abcd")[::2], Blob(b"z"), None],
    "nothing": [None],
}
UNHASHABLE: Any = []
WORD: Any = "x"
BAD: list[Any] = [
    2**63,
    2**64,
    -1,
    -(2**63) - 1,
    2**53 + 1,
    10**400,
    "1",
    b"1",
    "\ud800",
    1.5,
    [],
    object,
    bytearray(b"x"),
]


def described(columns: EventColumns) -> object:
    """Everything in them, with the types of the arrays."""
    assert columns.events.validate(full=True) is None
    layouts = []
    for layout in columns.layouts:
        arrays = [(str(array.type), array.to_pylist()) for array in layout.arrays]
        layouts.append((layout.table, layout.columns, layout.num_rows, repr(arrays)))
    return columns.events.schema, columns.events.to_pydict(), columns.tables, layouts


def outcome(builder: Any, events: list[Any]) -> object:
    """What a builder makes of events, an error included."""
    try:
        return described(builder.build(events))
    except EncodeError as error:
        return error.event, error.column, error.reason


class Maker:
    """Makes events at random: few tables and columns, so that they meet again."""

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)
        self.bad = self.chance.random() < 0.4
        self.tuples = [self.columns() for _ in range(4)]
        given = [RowChange("insert", 1, "s", "t", {"a": 1, "b": "x"}, columns=[Column("a", 3, 0), Column("b", 15, 0)])]
        decoded: Any = craft.decode(craft.encode(given)[0].value or b"")
        self.rows = [event.new for event in decoded]

    def columns(self) -> tuple[Column, ...]:
        names = self.chance.sample("abcdefg", self.chance.randint(0, 5))
        return tuple(Column(name, *self.chance.choice(TYPES), self.chance.choice([None, "int(11)"])) for name in names)

    def value(self, column: Column) -> Any:
        if self.bad and self.chance.random() < 0.02:
            return self.chance.choice(BAD)
        return self.chance.choice(GOOD["decimal" if column.type == 246 else storage(column.type, column.flags)])

    def image(self, columns: tuple[Column, ...]) -> Any:
        chance = self.chance
        if chance.random() < 0.1:
            return chance.choice(self.rows)
        kept = [column for column in columns if chance.random() < 0.9] if chance.random() < 0.4 else list(columns)
        chance.shuffle(kept)
        found = {column.name: self.value(column) for column in kept}
        if self.bad and chance.random() < 0.02:
            found["stray"] = 1
        return chance.choice([dict, dict, dict, Lazy, Upper, MappingProxyType])(found)

    def event(self) -> Any:
        chance = self.chance
        table = chance.choice(["t", "u", "t" * chance.randint(1, 2), None, ""])
        columns: Any = chance.choice(self.tuples)
        how = chance.random()
        if how < 0.3:  # equal, and another object; or made of other objects
            columns = (*columns,) if how < 0.2 else tuple(Column(*column) for column in columns)
        elif how < 0.35:
            columns = self.columns()
        elif how < 0.37 and self.bad:
            columns = (*columns, chance.choice([Column("a", 3, 0), Column("z", "3", 0), Column("\ud800", 3, 0)]))  # type: ignore[arg-type]
        kind = chance.choice(["insert", "update", "delete", "ddl", "watermark", "bootstrap", "duck"])
        if kind == "ddl":
            return Ddl(5, "s", table, chance.choice([None, 3]), chance.choice(["drop table t", "é", None]), commit_ms=3)
        if kind == "watermark":
            return Watermark(chance.choice([None, 0, 2**64 - 1]), sent_ms=chance.choice([None, -5]))
        if kind == "bootstrap":
            return Bootstrap(1, "s", table, 8, [c for c in columns if isinstance(c.type, int) and c.name < "z"])
        new = self.image(columns) if kind != "delete" else None
        old = self.image(columns) if kind != "insert" else None
        if kind == "duck":
            return SimpleNamespace(
                kind="update",
                schema="s",
                table=table,
                new=new,
                old=old,
                columns=list(columns),
                query=5 if self.bad else None,
            )
        event = RowChange(
            kind,
            7,
            "s",
            table,
            new,
            old,
            table_id=3,
            columns=columns,
            row_key=b"k",
            handle_key_only=True,
        )
        if chance.random() < 0.2:
            event.row_key = Blob(b"k")  # the class itself takes bytes alone
        if self.bad and chance.random() < 0.02:
            setattr(
                event,
                *chance.choice(
                    [
                        ("commit_ts", -1),
                        ("sent_ms", 2**63),
                        ("row_key", "x"),
                        ("claim_check", "\ud800"),
                        ("table_id", 1.0),
                        ("handle_key_only", 1),
                        ("schema", 5),
                    ]
                ),
            )
        return event


def test_events_become_what_the_plain_builder_makes_of_them() -> None:
    kept = EventBuilder(FIELDS, KINDS, storage)
    wrong = 0
    for seed in range(300):
        maker = Maker(seed)
        events = [maker.event() for _ in range(maker.chance.choice([0, 1, 2, 30]))]
        expected = outcome(NaiveBuilder(FIELDS, KINDS, storage), events)
        assert outcome(kept, events) == expected, seed
        assert outcome(EventBuilder(FIELDS, KINDS, storage), events) == expected, seed
        wrong += len(expected) == 3  # type: ignore[arg-type]
    assert 20 < wrong < 200


def test_the_identity_of_columns_that_are_gone_means_nothing() -> None:
    """A tuple can lie where another one lay: its rows have columns of their own all the same."""

    def events() -> Iterator[Event]:
        for k in range(2000):
            columns: Any = (Column("id", 3, 0), Column(f"c{k % 7}", 3, 0))
            yield RowChange("insert", 1, "s", f"t{k % 3}", {"id": k, f"c{k % 7}": -k}, columns=columns)
            del columns
            gc.collect(0)

    built: Any = Events.of(events())
    assert len(built.columns.layouts) == 21
    for k, event in enumerate(built):
        assert dict(event.new) == {"id": k, f"c{k % 7}": -k}


def test_what_a_builder_remembers_is_bounded() -> None:
    builder = EventBuilder(FIELDS, KINDS, storage)
    for k in range(3 * columns_cache.MOST_KNOWN):
        (layout,) = builder.build(
            [RowChange("insert", 1, "s", "t", {f"c{k}": k}, columns=[Column(f"c{k}", 3, 0)])]
        ).layouts
        assert layout.arrays[0].to_pylist() == [k]
    wide = [Column(f"c{k}", 3, 0) for k in range(columns_cache.HEAVIEST // columns_cache.PER_COLUMN)]
    (layout,) = builder.build([RowChange("insert", 1, "s", "t", {c.name: 1 for c in wide}, columns=wide)]).layouts
    assert len(layout.columns) == len(wide)


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (SimpleNamespace(kind=[]), "is no event: its kind is none of insert, update"),
        (
            SimpleNamespace(kind="insert", new={"a": 1}, columns=[Column("a", UNHASHABLE, 0)]),
            "columns cannot be told from others",
        ),
        (
            SimpleNamespace(kind="insert", new={"a": 1}, columns=[SimpleNamespace(name="a")]),
            "columns cannot be told|no Column",
        ),
        (Bootstrap(1, "s", "t", 5, [Column("a", WORD, 0)]), "type 'x' and flags 0 are not integers"),
        (RowChange("insert", 1, "s", "t", {"a": 10**5000}, columns=[Column("a", 3, 0)]), "bits is not between"),
        (Watermark(10**5000), "commit_ts is an integer from 0 to 18446744073709551615, not an integer of 16610 bits"),
    ],
)
def test_what_was_another_kind_of_error_once(event: Any, sentence: str) -> None:
    with pytest.raises(EncodeError, match=sentence):
        Events.of([event])


class Abstract(abc.ABC):  # noqa: B024  # a class that is not made by `type`
    """An event of a program's own."""

    kind, schema, table, commit_ts = "watermark", "s", "t", 5


def test_events_of_any_class() -> None:
    (event,) = Events.of([Abstract()])  # type: ignore[list-item]
    assert event == Watermark(5)


def test_what_is_encoded_does_not_depend_on_where_values_lie() -> None:
    """Events encode to the same messages from where they were put, and from the Arrow arrays that they become."""
    columns = [Column("id", 8, 11), Column("name", 15, 64), Column("nothing", 6, 64)]
    events = [
        RowChange(
            "update",
            5 << 18,
            "s",
            "t",
            {"id": k, "name": "é" * k, "nothing": None},
            {"id": k},
            columns=columns,
            sent_ms=1,
        )
        for k in range(9)
    ]
    for codec in (craft, canal_json, open_protocol):
        built = Events.of(events).columns
        before = codec.encode_batch(built).to_pydict()
        assert [layout.num_rows for layout in built.layouts if layout.to_batch().validate(full=True) is None] == [9, 9]
        assert built.events.num_rows == 9
        assert codec.encode_batch(built).to_pydict() == before
        assert [message.value for message in codec.encode(events)] == before["value"]
