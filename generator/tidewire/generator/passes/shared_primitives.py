"""primitives.yaml: the runtime's primitives.

- Integers have a range that begins before it ends; nothing else has one.
- Primitives and chunks are methods of the runtime; their names are no keywords.
- A chunk with nulls is one of bytes; a codec's storage kinds are those of events.yaml.
"""

from __future__ import annotations

from ..model import Chunk, Primitive, Spec
from ..problems import Problem, problem, unknown
from .common import keywords


def check(spec: Spec) -> list[Problem]:
    """The problems of this pass."""
    found: list[Problem] = []
    values: list[Primitive | Chunk] = [*spec.primitives.primitives.values(), *spec.primitives.chunks.values()]
    found += keywords([one.name for one in values])
    for one in values:
        if one.integer != (one.range is not None):
            text = "an integer without a range" if one.integer else "a range of what is no integer"
            found.append(problem(one.location, text, "Integers have a range: [smallest, biggest], others none."))
        elif one.range is not None and one.range[0] >= one.range[1]:
            found.append(problem(one.at("range"), "the range ends before it begins", "Write the smaller number first."))
    for chunk in spec.primitives.chunks.values():
        if chunk.nullable and chunk.python != "bytes":
            found.append(
                problem(chunk.at("nullable"), f"elements that are {chunk.python} cannot be null", "Use bytes.")
            )
    for codec in spec.primitives.codecs.values():
        for storage in codec.storage:
            if storage not in spec.events.values:
                found.append(unknown(storage.location, "storage kind", storage, spec.events.values))
    return found
