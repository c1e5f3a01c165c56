"""What carries event fields exists once for each event.

- A field of all events is a chunk of the root, with one element for each event; a field of one class is a section in
  the part of its case. Sections of the root and of repeated parts carry no field, as there is not one for each event.
- Only one field with the commit time is carried: milliseconds replace a commit ts.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...model import COMMIT_TIMES
from ...problems import Problem, problem, quoted
from ..model import Sections
from .context import BinaryContext


def check(context: BinaryContext) -> list[Problem]:
    """The problems of this pass."""
    return [*_scopes(context), *_root_sections(context), *_times(context)]


def _times(context: BinaryContext) -> Iterator[Problem]:
    for case in context.carried_cases:
        carriers = [one for one in context.meaning.carriers if one.field.means in COMMIT_TIMES]
        said = list(dict.fromkeys(str(one.field.name) for one in carriers if case.cls.key in one.classes))
        if len(said) > 1:
            text = f"events of {case.name} say {' and '.join(map(quoted, said))}, which follow from each other"
            yield problem(case.location, text, "Two could disagree; keep the better one.")


def _scopes(context: BinaryContext) -> Iterator[Problem]:
    """Reports chunks and sections that carry an event field but do not have one value for each event."""
    common = context.common()
    for columns in context.parts_of_chunks():
        for field in columns.columns:
            if field.event is not None and field not in common:
                yield problem(field.at("event"), "the chunk has not one element per event", "Remove event:.")
    once = {
        inner.name
        for case in context.switch[1].cases.values()
        if isinstance(part := context.protocol.parts[case.part], Sections)
        for inner in context.inside(part)
    }
    for other in context.parts_of_sections():
        for section in other.sections if other.name not in once and other is not context.root else ():
            if section.event is not None:
                yield problem(
                    section.at("event"), f"{quoted(other.name)} is not there once per event", "Remove event:."
                )


def _root_sections(context: BinaryContext) -> Iterator[Problem]:
    for section in context.root.sections:
        if section.event is not None and section.chunk is None:
            text = "a message holds several events, the section one value"
            yield problem(
                section.at("event"), text, "Say count: and the type of a chunk, or carry the field in the cases."
            )
