"""The files of a JSON protocol's codec: their paths below generated/ and their text."""

from __future__ import annotations

from ..model import Spec
from .model import JsonProtocol


def codec(spec: Spec, protocol: JsonProtocol, module: str) -> dict[str, str]:
    """Path (with slashes) -> text. Nothing reads or writes JSON yet, so the module is not printed either."""
    del spec, protocol, module
    return {}
