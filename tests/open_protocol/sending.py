"""Events through the codec and back, one message or one value at a time, for the tests of Open Protocol."""

from __future__ import annotations

from typing import Any

import pytest

from open_protocol.wire import VERSION, Made, frames
from tidewire import open_protocol
from tidewire.events import Event, RowChange
from tidewire.open_protocol import Options
from tidewire.runtime.batch import Column
from tidewire.runtime.errors import DecodeError

PRIMARY = 11
ID, NAME = Column("id", 3, PRIMARY), Column("name", 15, 64)
AA, BB = Column("a", 15, 10), Column("b", 15, 64)


def row(kind: str = "insert", columns: Any = (ID, NAME), new: Any = None, old: Any = None, **more: Any) -> RowChange:
    """A change of test.t."""
    return RowChange(kind, more.pop("commit_ts", 1), "test", "t", new, old, columns=list(columns), **more)


def sent(*events: Event, **options: Any) -> list[Made]:
    """The messages of events."""
    found = []
    for one in open_protocol.encode(list(events), Options(**options)):
        assert one.key is not None
        assert one.value is not None
        found.append(Made(one.key, one.value))
    return found


def parts(made: Made) -> list[tuple[str, str]]:
    """The objects of a message, key and value of each event."""
    assert made.key[:8] == VERSION
    pairs = zip(frames(made.key[8:]), frames(made.value), strict=True)
    return [(head.decode(), body.decode()) for head, body in pairs]


def written(event: Event, **options: Any) -> tuple[str, str]:
    """Key and value of the one event."""
    (made,) = sent(event, **options)
    (both,) = parts(made)
    return both


def value_of(kind: int, flags: int, value: Any, **options: Any) -> str:
    """How the value of a column is written."""
    _, body = written(row(columns=[Column("v", kind, flags)], new={"v": value}), **options)
    handle = '"h":true,' if flags & 2 else ""
    start = f'{{"u":{{"v":{{"t":{kind},{handle}"f":{flags},"v":'
    assert body.startswith(start)
    assert body.endswith("}}}")
    return body[len(start) : -3]


def read(made: Made, **options: Any) -> list[Any]:
    """The events of a message."""
    return list(open_protocol.decode(made.value, made.key, Options(**options)))


def only(made: Made, **options: Any) -> Any:
    """The one event of a message."""
    (event,) = read(made, **options)
    return event


def refused(made: Made, code: str, part: str) -> DecodeError:
    """The error of a message."""
    with pytest.raises(DecodeError) as caught:
        read(made)
    assert (caught.value.code, caught.value.part) == (code, part)
    assert 0 <= caught.value.offset <= len(made.key if part == "key" else made.value)
    return caught.value
