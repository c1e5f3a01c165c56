"""Parses YAML text into nodes with their file, line and path.

Parsing is strict, because YAML has surprises: a key written `null:` or `on:` is not a text for every reader, `1:30` is
a number for some, the last of two equal keys wins silently. Whatever can be read in two ways is refused by name, with a
remedy:

- tabs, text that is not UTF-8, more than one document, empty files, nesting deeper than `MAX_DEPTH`
- a key given twice, a key that is not text (`1:`, `null:`, `on:`, `[a]: `), merge keys (`<<`)
- NUL, and unpaired surrogates, which escapes in quotes can produce
- anchors, aliases and tags: each fact is in one place, and a report must be able to name its line
- `null`, `~` and empty values; booleans other than `true` and `false`; `010`, `1_000`, `1:30`, `.inf`, dates

Scalars become `str`, `int` (decimal or 0x), `float` or `bool`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from .problems import Location, Problem, problem, quoted

MAX_DEPTH = 32
MAX_DIGITS = 40

WRITE_OUT = "Write the value out where it belongs."

_INT = re.compile(r"-?(0|[1-9][0-9]*)|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"-?(0|[1-9][0-9]*)\.[0-9]+([eE][-+]?[0-9]+)?")
_NUMBER = re.compile(rf"{_INT.pattern}|{_FLOAT.pattern}")
_BOOL_SURPRISES = frozenset(["yes", "no", "on", "off", "y", "n", "true", "false"])
_NUMBER_SURPRISES = re.compile(
    r"[-+]?0[0-7]+|0o[0-7]+|0b[01_]+|[-+]?[0-9][0-9_]*_[0-9_]*|[-+]?[0-9]+(:[0-5]?[0-9])+(\.[0-9]*)?|\+[0-9]+"
    r"|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)|[-+]?[0-9]*\.[0-9]*([eE][-+]?[0-9]+)?|[-+]?[0-9]+[eE][-+]?[0-9]+"
)
_NO_TEXT = re.compile("[\0\ud800-\udfff]")
ABOUT = ("about", "language")
"""Keys that change no program."""
_DATE = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt ].*)?")


@dataclass(frozen=True, slots=True)
class Source:
    """One spec file: its name in reports (`spec/events.yaml`) and its bytes."""

    name: str
    data: bytes

    @property
    def stem(self) -> str:
        """The file's name without directory and suffix."""
        return self.name.rsplit("/", 1)[-1].removesuffix(".yaml")


@dataclass(frozen=True, slots=True)
class YamlNode:
    """A YAML value and its location; mappings and lists contain nodes."""

    location: Location
    value: str | int | float | bool | Mapping[str, YamlNode] | tuple[YamlNode, ...]
    asked: set[str] = field(default_factory=set, compare=False, repr=False)
    """The keys of this mapping that somebody asked for; see `unread`."""

    def __getitem__(self, key: str) -> YamlNode:
        self.asked.add(key)
        return self.map()[key]

    def __contains__(self, key: str) -> bool:
        self.asked.add(key)
        return key in self.map()

    def get(self, key: str) -> YamlNode | None:
        """The value of a key of this mapping; None if it is missing."""
        self.asked.add(key)
        return self.map().get(key)

    def items(self) -> Iterator[tuple[str, YamlNode]]:
        """Keys and values of this mapping, in the order of the file."""
        self.asked.update(self.map())
        return iter(self.map().items())

    def unread(self) -> Iterator[YamlNode]:
        """The values below this one whose keys nobody asked for, so that they have no effect."""
        if isinstance(self.value, Mapping):
            for key, node in self.value.items():
                if key in self.asked:
                    yield from node.unread()
                elif key not in ABOUT:
                    yield node
        elif isinstance(self.value, tuple):
            for node in self.value:
                yield from node.unread()

    def map(self) -> Mapping[str, YamlNode]:
        """This mapping; TypeError if it is something else (a bug, as validation comes first)."""
        if not isinstance(self.value, Mapping):
            raise TypeError(f"{self.location}: not a mapping")
        return self.value

    def list(self) -> tuple[YamlNode, ...]:
        """This list; TypeError if it is something else."""
        if not isinstance(self.value, tuple):
            raise TypeError(f"{self.location}: not a list")
        return self.value

    def plain(self) -> Any:
        """The value as dicts, lists and scalars, for validation."""
        if isinstance(self.value, Mapping):
            return {key: node.plain() for key, node in self.value.items()}
        if isinstance(self.value, tuple):
            return [node.plain() for node in self.value]
        return self.value


def load(source: Source) -> tuple[YamlNode | None, list[Problem]]:
    """The file's top node, and the problems. The node is None if it cannot be built."""
    try:
        text = source.data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = source.data.count(b"\n", 0, error.start) + 1
        return None, [Problem(source.name, line, "", "is not UTF-8 text", "Save the file as UTF-8.")]
    tabs = [
        Problem(source.name, number, "", "there is a tab", "Indent and separate with spaces.")
        for number, line in enumerate(text.split("\n"), 1)
        if "\t" in line
    ]
    if tabs:
        return None, tabs
    builder = _Builder(source.name)
    try:
        # libyaml is ten times faster; its messages differ, so errors are always taken from the Python parser
        events = list(yaml.parse(text, Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader)))
    except yaml.YAMLError:
        try:
            events = list(yaml.parse(text, Loader=yaml.BaseLoader))
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            what = error.problem or error.context or "is not YAML"
            return None, [Problem(source.name, mark.line + 1 if mark else 1, "", f"is not YAML: {what}")]
        except yaml.YAMLError as error:
            return None, [Problem(source.name, 1, "", f"is not YAML: {str(error).splitlines()[0]}")]
    node = builder.document(events)
    return node, builder.problems


class _Refused(Exception):
    """Building the tree cannot continue; the problem is already noted."""


class _Builder:
    """Builds nodes from parser events and notes what is refused."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[Problem] = []
        self.events: Iterator[Any] = iter(())

    def document(self, events: list[Any]) -> YamlNode | None:
        starts: list[Any] = [event for event in events if isinstance(event, yaml.DocumentStartEvent)]
        if not starts:
            self.problems.append(Problem(self.file, 1, "", "the file is empty", "Write the spec or remove the file."))
            return None
        if len(starts) > 1:
            self.note(starts[1], "", "there is a second document", "One file, one document.")
            return None
        self.events = (event for event in events if isinstance(event, yaml.NodeEvent | yaml.CollectionEndEvent))
        try:
            return self.node(next(self.events), "", 0)
        except _Refused:
            return None

    def note(self, event: Any, path: str, text: str, remedy: str) -> None:
        self.problems.append(Problem(self.file, _line(event), path, text, remedy))

    def node(self, event: Any, path: str, depth: int, line: int = 0) -> YamlNode:
        """The node that begins with this event; `line` is that of its key, if it has one."""
        location = Location(self.file, line or _line(event), path)
        if isinstance(event, yaml.AliasEvent):
            self.note(event, path, f"the alias *{event.anchor} is refused", WRITE_OUT)
            return YamlNode(location, "")
        if event.anchor is not None:
            self.note(event, path, f"the anchor &{event.anchor} is refused", WRITE_OUT)
        if event.tag is not None:
            tag = event.tag.replace("tag:yaml.org,2002:", "!!")
            self.note(event, path, f"the tag {tag} is refused", "Write plain YAML.")
        if depth > MAX_DEPTH:
            self.note(event, path, f"is nested more than {MAX_DEPTH} deep", "Flatten it.")
            raise _Refused
        if isinstance(event, yaml.MappingStartEvent):
            return YamlNode(location, self.mapping(path, depth))
        if isinstance(event, yaml.SequenceStartEvent):
            return YamlNode(location, self.sequence(path, depth))
        return YamlNode(location, self.scalar(event, location))

    def mapping(self, path: str, depth: int) -> Mapping[str, YamlNode]:
        found: dict[str, YamlNode] = {}
        lines: dict[str, int] = {}
        event: Any
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            if not isinstance(event, yaml.ScalarEvent):
                self.note(event, path, "a key is not text", "Keys are plain words.")
                raise _Refused
            key: str = event.value
            below = f"{path}.{key}" if path else key
            if event.anchor is not None:
                self.note(event, below, f"the anchor &{event.anchor} is refused", WRITE_OUT)
            if not event.style:  # plain: None from the Python parser, "" from libyaml
                self.plain_key(event, key, below)
            if key in found:
                text = f"the key {quoted(key)} is given twice, first in line {lines[key]}"
                self.note(event, below, text, "Remove one.")
            self.characters(event, key, below)
            line = _line(event)
            lines.setdefault(key, line)
            value = self.node(next(self.events), below, depth + 1, line)
            found.setdefault(key, value)
        return found

    def plain_key(self, event: Any, key: str, path: str) -> None:
        remedy = f'Quote it: "{key}".'
        if key == "<<":
            self.note(event, path, "the merge key << is refused", "Write the keys out where they belong.")
        elif key in ("", "~") or key.lower() == "null":
            self.note(event, path, f"the key {key or '(empty)'} is read as nothing, not as text", remedy)
        elif key.lower() in _BOOL_SURPRISES:
            self.note(event, path, f"the key {key} is read as a truth value by YAML, not as text", remedy)
        elif _INT.fullmatch(key) or _FLOAT.fullmatch(key) or _NUMBER_SURPRISES.fullmatch(key):
            self.note(event, path, f"the key {key} is a number, not text", remedy)
        elif _DATE.fullmatch(key):
            self.note(event, path, f"the key {key} is read as a date, not as text", remedy)

    def sequence(self, path: str, depth: int) -> tuple[YamlNode, ...]:
        found: list[YamlNode] = []
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            node = self.node(event, f"{path}.{len(found)}", depth + 1)
            found.append(_renamed(node, f"{path}.{len(found)}", path))
        return tuple(found)

    def characters(self, event: Any, text: str, path: str) -> None:
        """Notes characters that text files, and so printed files, cannot contain."""
        found = _NO_TEXT.search(text)
        if found:
            what = f"has the character U+{ord(found[0]):04X}, which no text can have"
            self.note(event, path, what, "Leave it out; a byte of a message is a number.")

    def scalar(self, event: Any, location: Location) -> str | int | float | bool:
        text: str = event.value
        self.characters(event, text, location.path)
        if event.style:  # quoted or block text
            return text
        if len(text) > MAX_DIGITS and _NUMBER.fullmatch(text):
            self.problems.append(problem(location, "is a number of too many digits", f"Write at most {MAX_DIGITS}."))
        elif _INT.fullmatch(text):
            return int(text, 0)
        elif _FLOAT.fullmatch(text):
            return float(text)
        elif text in ("true", "false"):
            return text == "true"
        remedy = f'Quote it if the text is meant: "{text}".'
        if text in ("", "~") or text.lower() == "null":
            self.problems.append(problem(location, f"the value {text or '(empty)'} is read as nothing", remedy))
        elif text.lower() in _BOOL_SURPRISES:
            remedy = f'Write true or false, or quote it: "{text}".'
            self.problems.append(problem(location, f"{text} is read as a truth value by YAML", remedy))
        elif _NUMBER_SURPRISES.fullmatch(text):
            self.problems.append(problem(location, f"{text} is a number that YAML readers read differently", remedy))
        elif _DATE.fullmatch(text):
            self.problems.append(problem(location, f"{text} is read as a date by YAML", remedy))
        return text


def _renamed(node: YamlNode, old: str, parent: str) -> YamlNode:
    """A list element with its `id` in its path instead of its index."""
    if not isinstance(node.value, Mapping):
        return node
    name = node.value.get("id")
    if name is None or not isinstance(name.value, str):
        return node
    return _moved(node, len(old), f"{parent}.{name.value}")


def _moved(node: YamlNode, cut: int, path: str) -> YamlNode:
    location = Location(node.location.file, node.location.line, path + node.location.path[cut:])
    if isinstance(node.value, Mapping):
        return YamlNode(location, {key: _moved(below, cut, path) for key, below in node.value.items()})
    if isinstance(node.value, tuple):
        return YamlNode(location, tuple(_moved(below, cut, path) for below in node.value))
    return YamlNode(location, node.value)


def _line(event: Any) -> int:
    """The line where an event begins, from 1."""
    return int(event.start_mark.line) + 1
