"""Builds the model of a JSON protocol from YAML nodes. The nodes have passed their JSON Schema, so nothing is checked
here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..build_common import common, keep
from ..extract import about, entries, flag, key_word, located, need, text, texts, word, word_list
from ..load import YamlNode
from ..words import Word
from .around_model import Envelope, FlaggedColumns, Lines
from .connect_chapter import connect_chapter
from .connect_words import block_of, block_words
from .described_model import Described, DescribedMember, DescribedPart, EachMember, InnerMember, ToldMember
from .member_types import TEXTS
from .model import (
    ChangesMember,
    DeclaredMember,
    DescriptionMember,
    ImageMember,
    JsonCase,
    JsonObject,
    JsonProtocol,
    MappedMember,
    Member,
    NamesMember,
    ObjectMember,
    RowsMember,
    Scalar,
)
from .records.build import records
from .skipped import skipped
from .spelling_model import ByWho, Spelling
from .statement_classes import Rest

NONE = "none"
"""`described: none`: nothing tells the types of columns."""


def protocol(top: YamlNode, file: str) -> JsonProtocol:
    """The model of a protocol's file; `file` is its name in reports."""
    producers = tuple(texts(top, "producers"))
    parts = [(key_word(top["parts"], key), node) for key, node in top["parts"].items()]
    return JsonProtocol(
        **common(top, file),
        spelling=spelling(top["spelling"]),
        objects={
            str(name): object_part(name, node, producers)
            for name, node in parts
            if "object" in node and "describes" not in node
        },
        parts_described={
            str(name): described_part(name, node) for name, node in parts if "object" in node and "describes" in node
        },
        described=None if text(top, "described") in (None, NONE) else _described(top["described"]),
        untyped=top["described"].location if text(top, "described") == NONE else None,
        unnamed=word(top, "unnamed"),
        lines={str(name): _lines(name, node) for name, node in parts if "lines" in node},
        connect=connect_chapter(top["connect"]) if "connect" in top else None,
        records=records(top["records"], producers) if "records" in top else None,
        envelopes={str(name): _envelope(name, node) for name, node in parts if "connect" in node},
        flagged_columns={str(name): _columns(name, node) for name, node in parts if "columns" in node},
    )


def _envelope(name: Word, node: YamlNode) -> Envelope:
    own = node["connect"]
    return Envelope(
        **located(own),
        name=name,
        payload=need(own, "part"),
        blocks={key_word(own["blocks"], key): block_words(below) for key, below in entries(own, "blocks")},
        unless=next((key_word(own["when"], option) for option, _ in entries(own, "when")), None),
        about=about(node),
    )


def _columns(name: Word, node: YamlNode) -> FlaggedColumns:
    own = node["columns"]
    return FlaggedColumns(
        **located(own),
        name=name,
        flagged=need(own, "flagged"),
        values=need(own, "values"),
        block=block_of(node),
        about=about(node),
    )


def _described(node: YamlNode) -> Described:
    return Described(**located(node), by=need(node, "by"), flags=word_list(node, "flags"))


def described_part(name: Word, node: YamlNode) -> DescribedPart:
    """The model of a described part: a JSON object that describes a table, a column or an index."""
    members: dict[str, DescribedMember] = {}
    again = []
    for one in node["object"].list():
        member = _described_member(one)
        if members.setdefault(str(member.id), member) is not member:
            again.append(member)
    return DescribedPart(
        **located(node),
        name=name,
        describes=need(node, "describes"),
        members=members,
        again=tuple(again),
        block=block_of(node),
        skip_unknown=text(node, "unknown") == "skip",
        about=about(node),
    )


def _described_member(node: YamlNode) -> DescribedMember:
    every: dict[str, Any] = {
        **located(node),
        "id": need(node, "id"),
        "name": need(node, "name" if "name" in node else "id"),
        "block": block_of(node),
        "about": about(node),
    }
    listed = node.get("list")
    own = node if listed is None else listed
    if own is not node and "part" in own:
        return EachMember(
            **every, part=need(own, "part"), sorted=word_list(own, "sorted"), hides=word_list(own, "hides")
        )
    if "part" in node:
        return InnerMember(**every, part=need(node, "part"))
    return ToldMember(
        **every,
        tells=Word("", node.location) if "tells" not in own else need(own, "tells"),
        type=TEXTS if own is not node else str(node["type"].value),
        numbers=word_list(node, "numbers"),
        silent=word_list(node, "silent"),
        absent=word(node, "absent"),
        reads=flag(node, "reads"),
    )


def spelling(node: YamlNode) -> Spelling:
    """The model of the chapter that says how JSON is written."""
    says = {}
    for key, below in node.items():
        plain = below.plain()
        by: dict[str, int] = {key_word(below, who): plain[who] for who in plain} if isinstance(plain, dict) else {}
        says[key] = ByWho(all=None if by else plain, by=by)
    return Spelling(**located(node), says=says)


def _lines(name: Word, node: YamlNode) -> Lines:
    own = node["lines"]
    return Lines(**located(node), name=name, part=need(own, "part"), terminator=need(own, "option"), about=about(node))


def object_part(name: Word, node: YamlNode, producers: tuple[str, ...]) -> JsonObject:
    """The model of a part that is a JSON object."""
    members: dict[str, Member] = {}
    again = []
    for one in node["object"].list():
        member = _member(one, producers)
        if members.setdefault(str(member.id), member) is not member:
            again.append(member)
    return JsonObject(
        **located(node),
        name=name,
        members=members,
        again=tuple(again),
        block=block_of(node),
        skip_unknown=text(node, "unknown") == "skip",
        order={key_word(node["order"], key): word_list(node["order"], key) for key, _ in entries(node, "order")},
        cases={key: _case(key_word(node["cases"], key), one) for key, one in entries(node, "cases")},
        rest=_rest(node["rest"]) if "rest" in node else None,
        missing=_missing(node),
        skipped={key: skipped(key_word(node["skipped"], key), one) for key, one in entries(node, "skipped")},
        about=about(node),
    )


def _member(node: YamlNode, producers: tuple[str, ...]) -> Member:
    form = next((one for one in ("list", "by_column", "part", "values") if one in node), None)
    own = node[form] if form in ("list", "by_column") else node
    every: dict[str, Any] = {
        "location": node.location,
        "words": located(own)["words"] | located(node)["words"],
        "id": need(node, "id"),
        "name": need(node, "name" if "name" in node else "id"),
        "type": need(node, "type") if form is None else Word(form, node[form].location),
        "of": word_list(node, "of"),
        **_when(node),
        "may_miss": "may_miss" in node,
        "may_miss_of": _classes(node),
        **_absent(node),
        "producers": word_list(node, "producers"),
        "reads": flag(node, "reads"),
        "block": block_of(node),
        "about": about(node),
    }
    rows = own["by_column"] if form == "list" and "by_column" in own else own
    of_columns = form in ("list", "by_column") and text(rows, "column")
    if form == "list" and of_columns == "value":
        every["words"] = located(rows)["words"] | every["words"]
        return RowsMember(**every, values=need(rows, "values"))
    if form == "list" and "part" in own:
        return ChangesMember(
            **{**every, "absent": Word("[]", node.location)},
            part=need(own, "part"),
            event=need(node, "event"),
            mapping=need(node, "mapping"),
            classed=_by_word(node["classed"]),
            lists=_by_word(node["lists"]) if "lists" in node else {},
        )
    if form == "list":
        return NamesMember(
            **every, **_empty(node, producers), flagged=need(own, "flagged"), also=word_list(own, "also")
        )
    if form == "part" and "event" in node:
        return DescriptionMember(**every, part=need(node, "part"), event=need(node, "event"))
    if form == "part":
        return ObjectMember(**every, part=need(node, "part"))
    if form == "by_column" and of_columns == "value":
        return RowsMember(
            **every,
            values=need(own, "values"),
            single=True,
            sorted=word_list(own, "sorted"),
            utc=word(own, "utc"),
            known_by=word(own, "known_by"),
            empty=word(node, "empty"),
        )
    if form == "by_column":
        every |= _empty(node, producers)
        if "part" in own:
            return ImageMember(**every, part=need(own, "part"))
        by_column = {**every, "random_order": text(node, "random") == "order"}
        if "mapping" in own:
            return MappedMember(**by_column, mapping=need(own, "mapping"))
        return DeclaredMember(**by_column, full=word(own, "full"))
    return Scalar(
        **every,
        event=word(node, "event"),
        const=node["const"].plain() if "const" in node else None,
        option=word(node, "option"),
        again="event" in node and "beside" in node,
        tells=word(node, "class"),
        believed=word(node, "skip"),
        switch=flag(node, "switch"),
        omit_zero=tuple(key_word(node["zero"], cls) for cls, how in entries(node, "zero") if how.value == "omit"),
        zero=tuple(key_word(node["zero"], cls) for cls, how in entries(node, "zero") if how.value != "omit"),
        instead=word(node, "instead"),
        random_value=text(node, "random") == "value",
        beside=word(node, "beside"),
        accepts=word_list(node, "accepts"),
        refused=flag(node, "refused"),
        unit=word(node, "unit"),
    )


def _by_word(node: YamlNode) -> dict[Word, tuple[Word, ...]]:
    """Lists of names, by word."""
    return {key_word(node, key): word_list(node, key) for key, _ in node.items()}


def _absent(node: YamlNode) -> dict[str, Any]:
    """The text that an encoder writes for an absent value: one for all producers, or one for each; or that text and
    others with the same meaning.
    """
    below = node.get("absent")
    if below is not None and isinstance(below.plain(), list):
        absent, *nothing = word_list(node, "absent")
        return {"absent": absent, "nothing": tuple(nothing)}
    if below is None or not isinstance(below.plain(), dict):
        return {"absent": word(node, "absent")}
    by = {key_word(below, key): need(below, key) for key in below.plain()}
    return {"absent": next(iter(by.values())), "absent_by": by}


def _when(node: YamlNode) -> dict[str, Any]:
    """The option that a member is written with: one for all kinds of event, or one for each kind."""
    sent = {key_word(node["sent"], kind): need(node["sent"], kind) for kind, _ in entries(node, "sent")}
    return {"when": word(node, "when"), "when_of": sent}


def _classes(node: YamlNode) -> tuple[Word, ...]:
    """The classes whose messages may lack a member; empty if either all or none may."""
    below = node.get("may_miss")
    return () if below is None or below.plain() is True else word_list(node, "may_miss")


def _empty(node: YamlNode, producers: tuple[str, ...]) -> dict[str, Any]:
    """What an encoder writes for an empty value, by producer; one entry counts for all producers."""
    below = node.get("empty")
    if below is None:
        return {"empty": {}, "empty_by": ()}
    if isinstance(below.plain(), dict):
        by = tuple(key_word(below, key) for key in below.plain())
        return {"empty": {str(key): need(below, key) for key in by}, "empty_by": by}
    return {"empty": dict.fromkeys(producers, need(node, "empty")), "empty_by": ()}


def _case(text: Word, node: YamlNode) -> JsonCase:
    event, kept = word(node, "kind"), node.get("keep")
    return JsonCase(
        **located(node),
        text=text,
        event=event,
        images={key_word(node["images"], key): need(node["images"], key) for key, _ in entries(node, "images")},
        when=word(node, "when"),
        skip=(need(node, "skip"),) if "skip" in node else (),
        alias=word(node, "alias"),
        reads=flag(node, "reads"),
        const={key_word(node["const"], key): _one_or_several(node["const"], key) for key, _ in entries(node, "const")},
        keep=None if kept is None or event is None else keep(kept, event),
    )


def _one_or_several(node: YamlNode, key: str) -> tuple[Word, ...]:
    """One name, or several in a list."""
    return word_list(node, key) if isinstance(node[key].plain(), list) else (need(node, key),)


def _missing(node: YamlNode) -> tuple[JsonCase, ...]:
    """The cases of messages without the switch: those with a member, and the messages without events that no member
    and no case skips.
    """
    found = []
    for kind, member in entries(node, "missing"):
        has = need(node["missing"], kind)
        event = key_word(node["missing"], kind)
        found.append(
            JsonCase(
                location=member.location,
                words={},
                text=has,
                event=event,
                images={},
                when=None,
                skip=(),
                alias=None,
                has=has,
            )
        )
    used = {str(one["skip"].value) for _, one in entries(node, "cases") if "skip" in one}
    used |= {str(one["skip"].value) for one in node["object"].list() if "skip" in one}
    rest = tuple(key_word(node["skipped"], name) for name, _ in entries(node, "skipped") if name not in used)
    if rest:
        first = node["skipped"][rest[0]]
        found.append(JsonCase(**located(first), text=rest[0], event=None, images={}, when=None, skip=rest, alias=None))
    return tuple(found)


def _rest(node: YamlNode) -> Rest:
    return Rest(
        **located(node),
        event=need(node, "kind"),
        names=need(node, "names"),
        when=word(node, "when"),
        classed=tuple(_classed(node)),
    )


def _classed(node: YamlNode) -> Iterator[tuple[Word | None, Word, tuple[Word, ...]]]:
    """The DDL types of classes: of all producers (None), or of one."""
    for name, types in entries(node, "classed"):
        cls = key_word(node["classed"], name)
        if isinstance(types.plain(), list):
            yield None, cls, word_list(node["classed"], name)
        else:
            yield from ((key_word(types, who), cls, word_list(types, who)) for who in types.plain())
