"""Prints the pages of a spec."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..folders import DISSECTOR, ENCODER, has_template
from ..model import KIND_FIELD, Spec
from ..plugins import plugin_of
from ..render import render
from .markdown import Markdown, mono, sentence, text
from .parts import PagePart, PageTable, spark_parts
from .plan import page_plan

LACKS = {
    ENCODER: "Its messages are only read: there is no encoder.",
    DISSECTOR: "Its messages are not shown field by field: there is no dissector.",
}
"""What a page says of a codec without these modules."""


@dataclass(frozen=True)
class ListPlan:
    """The page with the list of pages."""

    table: PageTable
    carried: PageTable
    """What each protocol carries."""


def print_pages(spec: Spec, examples: Mapping[str, str]) -> dict[str, str]:
    """Text by path, for the page of every protocol and the list.

    Args:
        examples: a real message in Markdown, by protocol.
    """
    files = {"README.md": render("pages.md.j2", _list(spec))}
    for name, protocol in spec.protocols.items():
        plugin = plugin_of(protocol)
        parts: tuple[PagePart, ...] = (
            spark_parts(protocol.root, plugin.message(spec, protocol))
            if plugin.page is None
            else plugin.page(spec, protocol)
        )
        meaning = plugin.context(spec, protocol).meaning
        plan = page_plan(spec, protocol, meaning, parts, examples.get(name, ""), _lacks(plugin.name))
        files[f"{name}.md"] = render("page.md.j2", plan)
    return files


def _lacks(plugin: str) -> tuple[Markdown, ...]:
    """What is not printed, as the plug-in has no template for it."""
    return tuple(Markdown(text) for name, text in LACKS.items() if not has_template(plugin, name))


def _list(spec: Spec) -> ListPlan:
    rows = tuple(
        (Markdown(f"[{text(one.title)}]({name}.md)"), mono(name), sentence(one.about))
        for name, one in spec.protocols.items()
    )
    return ListPlan(PageTable(("Protocol", "Name", "What it is"), rows), _carried(spec))


def _carried(spec: Spec) -> PageTable:
    """The kinds of events and the event fields that each protocol carries."""
    meanings = [plugin_of(one).context(spec, one).meaning for one in spec.protocols.values()]
    carried = [(one.kinds(spec), one.fields(spec)) for one in meanings]
    rows = [
        (Markdown(f"{name} events"), *(Markdown("yes" if name in kinds else "no") for kinds, _ in carried))
        for name in spec.events.kinds
    ]
    rows += [
        (mono(name), *(Markdown("yes" if name in fields else "absent") for _, fields in carried))
        for name in spec.events.fields
        if name != KIND_FIELD
    ]
    return PageTable(("", *(text(one.title) for one in spec.protocols.values())), tuple(rows))
