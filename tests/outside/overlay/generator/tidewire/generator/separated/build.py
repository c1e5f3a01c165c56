"""Nodes -> the model. The nodes have passed their JSON Schema."""

from __future__ import annotations

from tidewire.generator.build_common import common
from tidewire.generator.extract import about, entries, flag, key_word, located, need, number, text, word
from tidewire.generator.load import YamlNode

from .model import Field, LineCase, LineProtocol


def protocol(top: YamlNode, file: str) -> LineProtocol:
    """The model of a protocol's file, named `file` in reports."""
    part = top["parts"][need(top["root"], "value")]
    return LineProtocol(
        **common(top, file),
        fields=tuple(
            Field(
                **located(one),
                id=need(one, "id"),
                switch=flag(one, "switch"),
                event=word(one, "event"),
                values=word(one, "values"),
                about=about(one),
            )
            for one in part["separated"].list()
        ),
        separator=number(part, "separator") or 0,
        cases=tuple(
            LineCase(
                **located(case),
                text=name,
                event=need(case, "kind"),
                images={
                    key_word(case["images"], one): text(case["images"], one) or "" for one, _ in entries(case, "images")
                },
            )
            for name, case in entries(part, "cases")
        ),
    )
