"""The plan of the encoder of a protocol of registered records, with a function per kind of event."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..facts import TABLE_AFTER
from ..json.spelling_model import Spelled
from ..meaning import images_of
from ..model import KIND_FIELD, EventKind, Option, Spec, Word
from ..plan.checks import KIND
from ..plan.constants import kind_constants
from ..plan.events import EventColumn
from ..plan.names import NamesPlan, flag_constants
from ..plan.options import option_attribute, wire_options
from ..plan.planned_options import python_name
from ..plan.ways import ABOUT as WAYS
from ..syntax.calls import EVENT, RETURN_OK, int_at
from ..syntax.nodes import (
    BINT,
    INT,
    SIGNED,
    SIZE,
    Body,
    Branch,
    Declare,
    Do,
    Expression,
    Items,
    Literal,
    Method,
    Name,
    Parameter,
    Return,
    Statement,
    Table,
    assign,
    chain,
    object_type,
    own,
    when,
)
from .checks import RegisteredChecks
from .messages import KEY, SINK, RecordMessages, text_attribute
from .model import RegisteredProtocol
from .names import field_names, names_in
from .told import Ways, producer_attribute

ONE_EVENT = (Parameter(EVENT.id, SIZE),)
WRITER = (Parameter(SINK.id, object_type("RecordSink")), *ONE_EVENT)


@dataclass(frozen=True)
class WrittenOption:
    """An option that the encoder takes."""

    name: str
    attribute: str
    annotation: str
    kept: bool
    """Whether the written bytes depend on it."""
    asked: bool
    """Whether schemas depend on it."""


@dataclass(frozen=True)
class RegisteredEncoderPlan:
    """An encoder's module."""

    source: str
    protocol: str
    module: str
    title: str
    about: str
    example: str
    spelling: dict[str, Spelled]
    """Formatting of JSON, by producer."""
    flags: tuple[tuple[str, Expression], ...]
    """Flag of the key columns, by producer."""
    namespace: str
    subjects: tuple[str, str]
    """Subjects of key and value."""
    pointed: bool
    by_id: str | None
    unsent: tuple[str, ...]
    fills_nulls: bool
    """Whether NULL in a column with a default is written as the parsed default."""
    options: tuple[WrittenOption, ...]
    topic: str
    """The parameter with the topic."""
    producers: tuple[tuple[str, str], ...]
    """Producers whose messages differ from those of others: name, and the encoder's boolean attribute for it."""
    row: str
    """The constants of the records of value and key, and of the members of objects."""
    row_key: str
    members: Expression
    texts: tuple[tuple[str, str], ...]
    """The options whose texts are in records: attribute and parameter."""
    others: bool
    """Whether there are messages without a row."""
    chosen: Expression
    """The options that affect these messages, by Python name."""
    looking: tuple[Method, ...]
    writing: tuple[Method, ...]

    @property
    def asked(self) -> Expression:
        """The options that affect schemas, by name."""
        return Table(tuple((Literal(one.name), Name(one.attribute)) for one in self.options if one.asked))

    @property
    def from_decoder(self) -> tuple[str, ...]:
        """The names imported from the decoder's module."""
        members = [self.members.id] if isinstance(self.members, Name) else []
        others = ["STRANGERS"] if self.others else []
        return tuple(sorted({"FORMS", self.row, self.row_key, *members, *others}))


class RegisteredWritePlanner:
    """Plans the encoder of one protocol."""

    def __init__(
        self, spec: Spec, protocol: RegisteredProtocol, columns: Sequence[EventColumn], names: NamesPlan
    ) -> None:
        self.spec = spec
        self.protocol = protocol
        self.at = {one.name: Name(one.constant) for one in columns}
        self.kind_names = kind_constants(spec.events)
        self.fields = field_names(spec, protocol, names)
        self.all_columns, self.key_columns = names_in(names, WAYS)
        self.ways = Ways(spec, protocol)
        self.messages = RecordMessages(spec, protocol, self.at, self.ways, self.all_columns)
        self.checks = RegisteredChecks(spec, protocol, self.at, self.ways)

    def plan(self, module: str) -> RegisteredEncoderPlan:
        """Plans the module."""
        protocol, said = self.protocol, self.protocol.schemas
        key = protocol.row_key
        assert key is not None, "messages have keys"
        writing = [self.messages.method(kind) for kind in self.ways.kinds]
        flags, told = flag_constants(self.spec), key.rows[0].flags
        object_name = next(iter(protocol.objects), None)
        return RegisteredEncoderPlan(
            source=protocol.file,
            protocol=str(protocol.name),
            module=module,
            title=protocol.title,
            about=protocol.about,
            example=writing[0].name,
            spelling={str(who): protocol.spelling.of(who) for who in protocol.producers},
            flags=tuple(
                (str(who), Name(flags[told[who]]) if who in told else Literal(0)) for who in protocol.producers
            ),
            namespace=str(said.namespace),
            subjects=(str(said.subjects["key"]), str(said.subjects["value"])),
            pointed=said.pointed,
            by_id=None if said.by_id is None else str(said.by_id),
            unsent=tuple(map(str, said.unsent)),
            fills_nulls=said.connect is not None and said.connect.fills_nulls,
            options=tuple(map(self._option, wire_options(protocol))),
            topic=option_attribute(said.topic),
            producers=tuple((who, producer_attribute(who)) for who in self.ways.producers),
            row=self.fields.parts[protocol.row.part],
            row_key=self.fields.parts[key.part],
            members=Items(()) if object_name is None else Name(self.fields.parts[object_name]),
            texts=tuple((text_attribute(one), option_attribute(one)) for one in self._texts()),
            others=protocol.value.others is not None,
            chosen=Table(tuple((Literal(python_name(one)), Name(option_attribute(one))) for one in self._shared())),
            looking=(self.checks.method(self.kind_names), self._has_message()),
            writing=(self._begin_event(), self._write_message(), *writing),
        )

    def _option(self, option: Option) -> WrittenOption:
        attribute = option_attribute(option.name)
        kinds = {"bool": "bool", "int": "int"}
        asked = str(option.name) in self._asked()
        kept = str(option.name) in self.ways.options
        return WrittenOption(str(option.name), attribute, kinds.get(str(option.type), "str"), kept, asked)

    def _shared(self) -> tuple[Word, ...]:
        """The options that messages without a row use, too."""
        others = self.protocol.value.others
        return () if others is None else others.shared

    def _texts(self) -> tuple[Word, ...]:
        """The options whose texts are in records."""
        found = [one.option for one in self.protocol.all_scalars if one.option is not None]
        return tuple({str(one): one for one in found}.values())

    def _asked(self) -> set[str]:
        """The options that affect schemas."""
        said = self.protocol.schemas
        found = {str(name) for field in (*self.protocol.all_scalars, *self.protocol.row.inner) for name in field.when}
        types = self.protocol.schema_types
        assert types is not None, "schemas have types"
        exact = None if types.exact is None else types.exact.when
        found |= {str(one) for one in (said.namespace_option, exact) if one is not None}
        chosen = {str(line.when[0]) for line in types.columns if line.when is not None}
        found |= {name for name in chosen if name in self.protocol.options}
        return found | ({str(said.by_id)} if said.by_id is not None else set())

    # ---- which events have messages

    def _kind(self) -> Body:
        return (Declare(KIND.id, SIGNED, int_at(self.at[KIND_FIELD])),)

    def _is(self, kind: EventKind) -> Expression:
        return KIND.equals(Name(self.kind_names[kind.name]))

    def _has_message(self) -> Method:
        """The method that tells whether an event has a message with these options."""
        found: list[Statement] = []
        for kind in self.ways.kinds:
            written = self.ways.written(kind)
            if written is not None:
                found += when(self._is(kind), (Return(written),))
        body = (*(self._kind() if found else ()), *found, Return(Literal(True)))
        about = "Whether the event has a message with these options."
        return Method("has_message", ONE_EVENT, BINT, (about,), body, overrides=True)

    def _begin_event(self) -> Method:
        about = "Looks when the event was committed, and how it describes its table."
        after = self.spec.events.meaning(TABLE_AFTER)
        learned = () if after is None else (Do(own("learn")(EVENT, self.at[after])),)
        said = next((one.utc for one in self.protocol.rows if one.utc is not None), None)
        zoned = () if said is None else (assign(own("row_zone"), own("zone")(EVENT, self.at[str(said)])),)
        body = (Do(own("at_event")(EVENT, self.at[self.protocol.described_by])), *learned, *zoned, *RETURN_OK)
        return Method("begin_event", ONE_EVENT, INT, (about,), body, overrides=True)

    def _write_message(self) -> Method:
        branches = [Branch(self._is(kind), tuple(self._message(kind))) for kind in self.ways.kinds]
        body = (*self._kind(), *chain(branches), *RETURN_OK)
        parameters = (WRITER[0], Parameter(KEY.id, object_type("RecordSink")), *ONE_EVENT)
        about = "The value and the key of an event."
        return Method("write_message", parameters, INT, (about,), body, overrides=True)

    def _message(self, kind: EventKind) -> Iterator[Statement]:
        image = next(iter(images_of(self.spec, kind)), None)
        others = self.protocol.value.others
        if others is not None and kind.name in others.kinds:
            yield Do(own(self.messages.method_name(kind))(SINK, KEY, EVENT))
            return
        if image is None:
            yield assign(own("no_key"), Literal(True))
        else:
            place = (int_at(self.at[f"{image}_layout"]), int_at(self.at[f"{image}_row"]))
            yield Do(own("write_key")(KEY, *place, Name(self.key_columns)))
        yield Do(own(self.messages.method_name(kind))(SINK, EVENT))
