"""How an encoder of frames writes a scalar."""

from __future__ import annotations

from ..json.model import Scalar
from ..json.scalar_steps import ALWAYS, ScalarPlanner, There, WrittenKind
from ..json.writer import Writer


class FrameScalars(ScalarPlanner):
    """Plans how scalars are written: the switch has the case's number, and a constant may depend on another member."""

    def write(self, w: Writer, member: Scalar, written: WrittenKind) -> There | None:
        if member.switch:
            w.raw(str(written.case.text).encode() if written.case is not None else b"")
            return ALWAYS
        there = super().write(w, member, written)
        if member.beside is None or there is None:
            return there
        other = self.protocol.message.members[member.beside]
        assert isinstance(other, Scalar)
        return self.field(Writer(), other, self.spec.events.classes[written.kind.cls], written)
