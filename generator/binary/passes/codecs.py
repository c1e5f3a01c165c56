"""primitives.yaml, as far as sections need it: a codec that is for them is one that the runtime has."""

from __future__ import annotations

from ...model import Spec
from ...problems import Problem, unknown
from ..values import STORAGES
from .context import WIRE


def check(spec: Spec) -> list[Problem]:
    """The problems of this pass."""
    return [
        unknown(codec.place, "codec of the runtime", codec.name, STORAGES, "codecs")
        for codec in spec.primitives.codecs.values()
        if codec.wire in (None, WIRE) and codec.name not in STORAGES
    ]
