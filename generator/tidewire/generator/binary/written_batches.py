"""How an encoder decides which events share a message."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..model import Batching
from ..syntax.calls import EVENT, EVENTS, int_at
from ..syntax.nodes import (
    BINT,
    NONE,
    SIGNED,
    SIZE,
    Binary,
    Body,
    Break,
    Change,
    Declare,
    Expression,
    For,
    Literal,
    Method,
    Name,
    Not,
    Parameter,
    Return,
    Statement,
    While,
    all_of,
    any_of,
    assign,
    expression,
    object_type,
    own,
    plain_type,
    when,
)
from .names import local
from .sink_calls import FIRST, ONE_EVENT, STOP

ESTIMATE, IMAGES, LONGEST, NAME, FOUND, TABLE = map(Name, ("estimate", "images", "longest", "name", "size", "table"))
ROWS = EVENTS.attribute("rows")
IMAGES_TYPE = object_type("WrittenImages")


def batch_methods(
    batching: Batching | None,
    kinds: Sequence[Name],
    at: Mapping[str, Expression],
    images: Sequence[str],
) -> tuple[Method, ...]:
    """The methods that decide where a message ends.

    Args:
        batching: None: every event is a message of its own.
        kinds: the kinds of the events that share messages.
        at: the constants of the event columns.
        images: the row images that events have.
    """
    if batching is None:
        about = "Where the message that begins with this event ends: every event is a message of its own."
        return (_message_end(about, (Return(FIRST.plus(1)),)),)
    about = f"Where the message that begins with this event ends. {batching.about}"
    methods = (_message_end(about, _gathering(batching)), _gathered(kinds, at))
    return methods if batching.bytes is None else (*methods, _estimate(batching, at, images), _most_bytes(batching))


def _message_end(about: str, body: Body) -> Method:
    return Method("message_end", (Parameter(FIRST.id, SIZE),), SIZE, (about,), body, overrides=True)


def _gathering(batching: Batching) -> Body:
    full: list[Statement] = []
    if batching.count is not None:
        limit = own(local(batching.count.replace("-", "_")))
        full += when(STOP.minus(FIRST).compared(">=", limit), (Break(),))
    add = Change(ESTIMATE, "+", own("estimate")(STOP))
    big: list[Expression] = []
    measured: Body = ()
    if batching.bytes is not None:
        big = [ESTIMATE.compared(">", own(local(batching.bytes.replace("-", "_"))))]
        measured = (add,)
    take = Change(STOP, "+", Literal(1))
    each = (
        *(when(own("measured"), measured) if measured else ()),
        take,
        *full,
        *(line for one in big for line in when(one, (Break(),))),
    )
    gathered = own("gathered")
    return (
        Declare(STOP.id, SIZE, FIRST),
        *([Declare(ESTIMATE.id, SIGNED, Literal(0))] if measured else []),
        *when(Not(gathered(FIRST)), (Return(FIRST.plus(1)),)),
        While(all_of(STOP.compared("<", ROWS), gathered(STOP)) or NONE, each),
        Return(STOP),
    )


def _gathered(kinds: Sequence[Name], at: Mapping[str, Expression]) -> Method:
    kind = Name("kind")
    body = (
        Declare(kind.id, SIGNED, int_at(at["kind"])),
        Return(any_of(tuple(kind.equals(one) for one in kinds))),
    )
    about = "Whether the event can share a message with others."
    return Method("gathered", ONE_EVENT, BINT, (about,), body, raises=False)


def _weights(batching: Batching) -> Mapping[str, int]:
    names = ("event", "schema", "table", "column", "name", "value")
    estimate = batching.estimate
    return {name: 0 if estimate is None else estimate.weights.get(name, 0) for name in names}


def _estimate(batching: Batching, at: Mapping[str, Expression], images: Sequence[str]) -> Method:
    weights = _weights(batching)
    found: list[Statement] = [
        Declare(IMAGES.id, IMAGES_TYPE),
        Declare(TABLE.id, SIZE, int_at(at["table"])),
        Declare(FOUND.id, SIZE, Literal(weights["event"])),
    ]
    for name in ("schema", "table"):
        length, weight = Name("len")(own(f"{name}s").at(TABLE)), weights[name]
        if weight:
            found.append(Change(FOUND, "+", length if weight == 1 else Binary(Literal(weight), "*", length)))
    parts = [Literal(weights[name]) for name in ("column", "name", "value")]
    for image in images:
        layout, row = at[f"{image}_layout"], at[f"{image}_row"]
        add = Change(FOUND, "+", IMAGES.call("estimate", int_at(row), *parts))
        found += when(int_at(layout).compared(">=", 0), (assign(IMAGES, own("images_of")(EVENT, layout)), add))
    about = "The size of an event as the producer guesses it, in bytes."
    return Method("estimate", ONE_EVENT, SIZE, (about,), (*found, Return(FOUND)))


def _most_bytes(batching: Batching) -> Method:
    weights = _weights(batching)
    longer = assign(LONGEST, Name("max")(LONGEST, Name("len")(NAME)))
    names = Binary(Literal(weights["schema"] + weights["table"]), "*", LONGEST)
    whole = Binary(ROWS, "*", expression(weights["event"]).plus(names))
    parts = [Literal(weights[name]) for name in ("column", "name", "value")]
    add = Change(FOUND, "+", IMAGES.call("most_bytes", *parts))
    about = (
        "What the estimates of all events add up to at most, when no two share a row: below the limit nothing is"
        " measured."
    )
    body: Body = (
        Declare(IMAGES.id, IMAGES_TYPE),
        Declare(NAME.id, plain_type("bytes")),
        Declare(LONGEST.id, SIZE, Literal(0)),
        *(For((NAME.id,), own(names), (longer,)) for names in ("schemas", "tables")),
        Declare(FOUND.id, SIZE, whole),
        For((IMAGES.id,), own("images"), when(IMAGES.compared("is not", NONE), (add,))),
        Return(FOUND),
    )
    return Method("most_bytes", (), SIZE, (about,), body, overrides=True)
