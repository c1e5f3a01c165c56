"""The Spark type of an event in the frames of key and value, after they were split.

Spark cannot split such a message itself: binary lengths stand between the objects.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..json.model import ImageMember, JsonObject, Scalar
from ..json.schema import SCALARS
from ..model import Spec
from ..plan.spark_types import PlannedField, plain
from .model import FramesProtocol, is_read

COLUMNS = "map<string,string>"
"""A row image: the JSON of each column's object."""


def frames_message(spec: Spec, protocol: FramesProtocol) -> tuple[PlannedField, ...]:
    """The objects of key and value, all fields nullable: one type covers events of any class."""
    values = [field for body in protocol.bodies for field in _fields(body)]
    return (
        PlannedField("key", None, tuple(_fields(protocol.message)), 0, True, False, protocol.message.about),
        PlannedField("value", None, tuple(values), 0, True, False, protocol.value_frames.about),
    )


def _fields(held: JsonObject) -> Iterator[PlannedField]:
    for member in held.members.values():
        if isinstance(member, ImageMember):
            yield plain(str(member.name), COLUMNS, member.about)
        elif isinstance(member, Scalar) and is_read(member):
            yield plain(str(member.name), SCALARS[member.type], member.about)
