"""An envelope: a record of a value without columns of its own.

- One or two nested records are row images, and nothing else; the images of a case are different records. Other nested
  records have data of the event, without records or the operation in them.
- A row image can always be null, and its schema is always included. An option can say that it is not sent (`sent`), for
  a kind of event whose case has it together with another image, from which its schema is known.
- Only records in an envelope can be `optional`, or have `sent`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...meaning import images_of
from ...problems import Problem, listed, problem, quoted
from ..model import InnerRecord, RecordCase, RegisteredRecord
from .context import RegisteredContext


def check(context: RegisteredContext) -> list[Problem]:
    """The problems of this pass."""
    row = context.protocol.row
    if row.rows:
        return [
            problem(inner.at(word), f"{quoted(row.part)} has columns itself, and is no envelope", "Remove it.")
            for inner in row.inner
            for word in ("optional", "sent")
            if word in inner.words
        ]
    found: list[Problem] = []
    images = [one for one in context.protocol.images if one is not None]
    for more in images[2:]:
        text = f"{quoted(images[0].id)} and {quoted(images[1].id)} are row images already"
        found.append(problem(more.location, text, "Keep two."))
    for inner, record in context.protocol.inside:
        if "when" in inner.words:
            text = f"{quoted(inner.id)} is a record in an envelope, whose schema always has it"
            found.append(problem(inner.at("when"), text, "Remove when:; a row image can have sent:."))
        found += _image(context, inner) if record.rows else _beside(inner, record)
    for case in row.cases.values():
        if case.alias is None:
            found += _case(case)
    return found


def _image(context: RegisteredContext, inner: InnerRecord) -> Iterator[Problem]:
    """Problems of a row image."""
    if inner.optional:
        text = f"{quoted(inner.id)} is a row image, which can be null without the word"
        yield problem(inner.at("optional"), text, "Remove optional:.")
    for name in inner.sent:
        of_kind = [one for one in context.protocol.row.cases.values() if one.event == name]
        having = [str(image) for one in of_kind for image, id in one.images.items() if id == inner.id]
        first = images_of(context.spec, context.kind(name))[:1]
        if not having:
            text = f"events of kind {quoted(name)} have no row in {quoted(inner.id)}"
            yield problem(name.location, text, "Name a kind whose case has it.")
        elif having[0] in first:
            text = f"events of kind {quoted(name)} always have the row image {quoted(having[0])}"
            yield problem(name.location, text, "Their schema is known by it; remove it here.")


def _beside(inner: InnerRecord, record: RegisteredRecord) -> Iterator[Problem]:
    """Problems of a record with data of the event."""
    if "sent" in inner.words:
        text = f"{quoted(inner.id)} is no row image, which an event can have or not"
        yield problem(inner.at("sent"), text, "Remove sent:.")
    for more in record.inner:
        text = f"{quoted(record.part)} is a record in a record already"
        yield problem(more.location, text, "Put it into the record of the value.")
    for switch in record.switches:
        text = f"what happened is said in {quoted(record.part)}"
        yield problem(switch.location, text, "Say it in the record of the value.")


def _case(case: RecordCase) -> Iterator[Problem]:
    """Problems of a case whose two row images are the same record."""
    for id in dict.fromkeys(case.images.values()):
        alike = [str(image) for image, one in case.images.items() if one == id]
        if len(alike) > 1:
            text = f"the row images {listed(alike)} of {quoted(case.text)} are both {id}"
            yield problem(case.at("images"), text, "Say another field for one.")
