"""The page sections about which events a protocol carries, and which it cannot."""

from __future__ import annotations

from ..meaning import Meaning
from ..model import KIND_FIELD, Spec
from .markdown import EMPTY, Markdown, mono, names, say, sentence, together
from .parts import PagePart, PageTable


def carried(spec: Spec, meaning: Meaning) -> PagePart:
    """The kinds of events that have messages, and the fields that these carry."""
    kinds = meaning.kinds(spec)
    about = Markdown("The kinds of events that there are messages for, and the fields of events that messages say.")
    kind_rows = tuple((mono(kind), sentence(spec.events.kinds[kind].about)) for kind in kinds)
    field_rows = tuple(
        (
            mono(name),
            names(_classes(spec, meaning, name)),
            together(sentence(spec.events.fields[name].about), _options(spec, meaning, name)),
        )
        for name in meaning.fields(spec)
        if name != KIND_FIELD
    )
    tables = (
        PageTable(("Events", "What happened"), kind_rows),
        PageTable(("Field", "Of", "What it is"), field_rows),
    )
    return PagePart(Markdown("What it carries"), about, tables, (_flags(spec, meaning),))


def absent(spec: Spec, meaning: Meaning) -> PagePart:
    """The kinds and fields that the protocol cannot carry."""
    kinds = [one for one in spec.events.kinds if one not in meaning.kinds(spec)]
    fields = [one for one in spec.events.fields if one not in meaning.fields(spec)]
    title = Markdown("What it cannot carry")
    if not kinds and not fields:
        return PagePart(title)
    about = Markdown(
        "What is listed here is absent after decoding; absent is not the same as null. An encoder leaves it out, "
        "and refuses events of kinds that have no message."
    )
    rows = [(say("{} events", mono(one)), sentence(spec.events.kinds[one].about)) for one in kinds]
    rows += [(mono(one), sentence(spec.events.fields[one].about)) for one in fields]
    return PagePart(title, about, (PageTable(("What", "What it is"), tuple(rows)),))


def _classes(spec: Spec, meaning: Meaning, field: str) -> tuple[str, ...]:
    """The classes of events whose messages carry the field."""
    said = {cls for one in meaning.carriers if one.field.name == field for cls in one.classes}
    return tuple(name for name, cls in spec.events.classes.items() if name in said and field in cls.fields)


def _options(spec: Spec, meaning: Meaning, field: str) -> Markdown:
    """The options without which the field is not carried, unless something else carries it without them."""
    needed: dict[tuple[str, ...], list[str]] = {}
    classes = _classes(spec, meaning, field)
    for cls in classes:
        own = [one.options for one in meaning.carriers if one.field.name == field and cls in one.classes]
        if all(own):
            needed.setdefault(tuple(dict.fromkeys(str(one) for said in own for one in said)), []).append(cls)
    if len(needed) == 1 and next(iter(needed.values())) == [*classes]:
        return say("With {} only.", names(next(iter(needed))))
    return together(*(say("In {} events with {} only.", names(of), names(said)) for said, of in needed.items()))


def _flags(spec: Spec, meaning: Meaning) -> Markdown:
    """The column flags that are carried."""
    if meaning.flags is None:
        return Markdown("All flags of columns are carried.")
    said = [name for name in spec.mysql_types.flags if name in meaning.flags]
    unsaid = [name for name in spec.mysql_types.flags if name not in meaning.flags]
    if not said:
        return Markdown("No flags of columns are carried.")
    lacks = say(", but not {}", names(unsaid, "or")) if unsaid else EMPTY
    return say("Of the flags of columns these are carried: {}{}.", names(said), lacks)
