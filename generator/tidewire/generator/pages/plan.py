"""The plan of a protocol's page: what the spec says about the protocol, in the order of readers' questions."""

from __future__ import annotations

from dataclasses import dataclass

from ..meaning import Meaning
from ..model import Protocol, Spec, Word
from ..plan.package import module_name
from .carried import absent, carried
from .markdown import EMPTY, Markdown, link, mono, say, sentence, series, text, together
from .parts import FIELD_HEAD, PagePart, PageTable
from .settings import options, sending
from .types import type_names
from .values import value_tables

VALUES = "How the values of columns are written, by the type of the column as it is declared."


@dataclass(frozen=True)
class PageChapter:
    """A chapter: the text below its heading, then parts with headings of their own."""

    head: PagePart
    parts: tuple[PagePart, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether the chapter has no text."""
        return not (self.head.about or self.head.tables or self.head.notes or self.parts)


@dataclass(frozen=True)
class PagePlan:
    """A page."""

    source: str
    """The file that describes the protocol."""
    title: Markdown
    about: tuple[Markdown, ...]
    """Paragraphs."""
    chapters: tuple[PageChapter, ...]


def page_plan(
    spec: Spec,
    protocol: Protocol,
    meaning: Meaning,
    parts: tuple[PagePart, ...],
    example: str,
    lacks: tuple[Markdown, ...],
) -> PagePlan:
    """The plan of a page.

    Args:
        protocol: the page's protocol.
        parts: sections about the parts of messages.
        example: a real message in Markdown, printed unchanged; empty if there is none.
        lacks: sentences about what the codec of the protocol lacks.
    """
    values = value_tables(spec, protocol)
    chapters = (
        PageChapter(_sources(protocol)),
        PageChapter(_producers(protocol)),
        PageChapter(_differences(protocol)),
        PageChapter(PagePart(Markdown("A real message"), Markdown(example.strip()))),
        PageChapter(carried(spec, meaning)),
        PageChapter(absent(spec, meaning)),
        PageChapter(_message(protocol, parts), parts),
        PageChapter(PagePart(Markdown("Values of columns"), Markdown(VALUES) if values else EMPTY), values),
        PageChapter(PagePart(Markdown("How messages are sent")), sending(protocol)),
        PageChapter(options(protocol)),
        PageChapter(_losses(spec, protocol)),
        PageChapter(_defects(spec, protocol)),
    )
    known = say(
        "The protocol is {} on the command line and in Spark, and {} in Python. This page is printed from {}, as its "
        "codec is.",
        mono(protocol.name),
        mono(f"tidewire.{module_name(protocol.name)}"),
        Markdown(f"[{mono(protocol.file)}](../../{protocol.file})"),
    )
    kept = tuple(one for one in chapters if not one.empty)
    return PagePlan(protocol.file, text(protocol.title), (sentence(protocol.about), known, *lacks), kept)


def _sources(protocol: Protocol) -> PagePart:
    rows = tuple((text(name), text(where)) for name, where in protocol.sources.items())
    return PagePart(
        Markdown("Sources"), Markdown("Where the facts come from."), (PageTable(("Source", "What it is"), rows),)
    )


def _producers(protocol: Protocol) -> PagePart:
    about = Markdown(
        "Who writes such messages. The option `producer` says whose bytes an encoder writes; decoders read all."
    )
    rows = tuple((mono(name), sentence(said)) for name, said in protocol.producers.items())
    return PagePart(Markdown("Producers"), about, (PageTable(("Producer", "What it is"), rows),))


def _differences(protocol: Protocol) -> PagePart:
    """A table of differences between producers, with a column for each."""
    title = Markdown("What producers write differently")
    if not protocol.differences:
        return PagePart(title)
    about = Markdown("None of them is wrong. Smaller differences are noted at the fields below.")
    who = tuple(protocol.producers)
    said = [(one, {str(name): words for name, words in one.says.items()}) for one in protocol.differences.values()]
    rows = tuple((text(one.name), *(sentence(words.get(name, "")) for name in who)) for one, words in said)
    return PagePart(title, about, (PageTable(("What", *who), rows),))


def _message(protocol: Protocol, parts: tuple[PagePart, ...]) -> PagePart:
    """A section about key and value."""
    shown = {str(one.name) for one in parts}

    def named(part: Word) -> Markdown:
        return link(part) if str(mono(part)) in shown else mono(part)

    value, key = named(protocol.root), Markdown("its key is empty")
    if protocol.key is not None:
        key = say("its key is {}", named(protocol.key))
    elif protocol.keys:
        each = (say("of {} events {}", mono(cls), named(part)) for cls, part in protocol.keys.items())
        key = say("its key is {}", series(each))
    both = say("The value of a Kafka record is {}, and {}.", value, key)
    how = Markdown("Below are all parts of a message, and what they hold in the order in which it is written.")
    says = Markdown(
        "The column *Says* has the field of [events](#what-it-carries) that is carried, or what else it is."
    )
    said = any(table.head == FIELD_HEAD for one in parts for table in one.tables)
    return PagePart(Markdown("The parts of a message"), together(both, how, says if said else EMPTY))


def _losses(spec: Spec, protocol: Protocol) -> PagePart:
    title = Markdown("What is lost")
    if not protocol.losses:
        return PagePart(title)
    about = Markdown("Values that are written as others are, so that no reader can tell them apart.")
    rows = tuple((mono(one.name), sentence(one.about), type_names(spec, one.types)) for one in protocol.losses.values())
    return PagePart(title, about, (PageTable(("Name", "What happens", "Columns"), rows),))


def _defects(spec: Spec, protocol: Protocol) -> PagePart:
    title = Markdown("Defects of producers")
    if not protocol.defects:
        return PagePart(title)
    about = Markdown(
        "What producers do wrong. It is not reproduced; a conformance run prints the name beside recorded messages "
        "that differ by it."
    )
    rows = tuple(
        (
            mono(one.name),
            Markdown(", ".join(map(mono, one.producers))),
            sentence(one.about),
            type_names(spec, one.types),
        )
        for one in protocol.defects.values()
    )
    return PagePart(title, about, (PageTable(("Name", "Producers", "What happens", "Columns"), rows),))
