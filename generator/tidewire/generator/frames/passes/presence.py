"""When members of a protocol of frames have a value.

- A row image can be omitted: `absent: omit`. Of several key members with one name all but one are constants, and the
  one that is read is not a text.
- The first row image of a kind of events is there whatever the options.
- A constant is `beside` an event field, or always present.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...json.member_types import TEXT
from ...json.model import OMIT, ImageMember, Scalar
from ...meaning import images_of
from ...problems import Problem, problem, quoted
from ..model import is_read
from .context import FramesContext


def check(context: FramesContext) -> list[Problem]:
    """The problems of this pass."""
    return [*_images(context), *_twice(context), *_beside(context)]


def _images(context: FramesContext) -> Iterator[Problem]:
    for image in context.protocol.images:
        if image.absent != OMIT:
            text = f"the image {quoted(image.name)} is not there for every kind of row"
            yield problem(image.location, text, "Say absent: omit.")
    for case in context.protocol.cases:
        body = None if case.body is None else context.protocol.objects[case.body]
        for name, held in case.kinds.items():
            for at, key in enumerate(images_of(context.spec, context.spec.events.kinds[name])):
                member = None if body is None or key not in held else body.members[held[key]]
                if isinstance(member, ImageMember):
                    yield from _image(member, str(name), at == 0)


def _image(image: ImageMember, kind: str, first: bool) -> Iterator[Problem]:
    if first and image.when is not None:
        text = f"without {image.when} nothing would be left of the row of events of kind {quoted(kind)}"
        yield problem(image.at("when"), text, "Remove when:.")


def _twice(context: FramesContext) -> Iterator[Problem]:
    for held in context.protocol.objects.values():
        first: dict[str, Scalar | ImageMember] = {}
        for member in held.members.values():
            if not is_read(member) or not isinstance(member, Scalar | ImageMember):
                continue
            if member.name in first:
                text = f"{quoted(member.name)} is read as {quoted(first[member.name].id or '')} already"
                yield problem(member.location, text, "Of members with one name all but one are constants.")
            elif member.name in context.protocol.said_twice and member.type == TEXT:
                yield problem(member.location, f"the text {quoted(member.name)} is said twice", "Give it another name.")
            first.setdefault(str(member.name), member)


def _beside(context: FramesContext) -> Iterator[Problem]:
    for held in context.protocol.objects.values():
        for member in held.members.values():
            if not isinstance(member, Scalar) or member.beside is None:
                continue
            if member.const is None:
                text = f"beside: is for a constant, which says nothing by itself, and {quoted(member.id)} is none"
                yield problem(member.at("beside"), text, "Remove beside:.")
            other = held.members[member.beside]
            if not isinstance(other, Scalar) or other.event is None:
                text = f"{quoted(member.beside)} is no field of the events"
                yield problem(member.at("beside"), text, "Name one that carries a field.")
