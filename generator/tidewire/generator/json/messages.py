"""The functions of a JSON encoder that write one kind of event each, member by member."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ..facts import DDL_TYPE, NEW, PARTIAL, STATEMENT
from ..model import EventClass, EventKind, Keep, Option, Spec
from ..plan.constants import kind_constants
from ..plan.options import option_attribute
from ..plan.ways import kept_flags
from ..syntax.calls import EVENT, RETURN_OK, int_at, null_at
from ..syntax.nodes import (
    INT,
    SIZE,
    Body,
    Call,
    Choice,
    Declare,
    Do,
    Expression,
    Items,
    Literal,
    Method,
    Name,
    Not,
    Parameter,
    Statement,
    all_of,
    any_of,
    assign,
    named,
    object_type,
    own,
    when,
)
from ..syntax.printer import count_lines
from .model import (
    OMIT,
    ChangesMember,
    DeclaredMember,
    DescriptionMember,
    JsonCase,
    JsonObject,
    JsonProtocol,
    MappedMember,
    Member,
    NamesMember,
    ObjectMember,
    RowsMember,
    Scalar,
    identifier,
)
from .scalar_steps import ALWAYS, ScalarPlanner, There, WrittenKind, nothing
from .sink_calls import SINK, WRITER, raw, write
from .spelling import spelled
from .writer import Writer, unconditional
from .writing_nodes import WriteMessage

DESCRIBED = (NamesMember, DeclaredMember, MappedMember)
"""Members that describe the columns of a row."""
FEWEST_LINES = 6
"""An object written with fewer lines is repeated in each message: a call would not be easier to read."""


@dataclass(frozen=True)
class _Piece:
    """A member with its value, and the comma before it."""

    member: Member
    steps: Body
    needs: frozenset[str]


PARAMETERS = (
    Parameter("members", object_type("RowMembers")),
    Parameter("rows", object_type("WrittenRows")),
    Parameter("row", SIZE),
)
"""The variables that the function for a shared object may take."""


class MessagePlanner:
    """Plans the functions that write messages.

    Attributes:
        carried_cases: the kinds of events that have messages, each with its case; None is the rest.
        all_columns: the constant for writing all columns of a row image.
        columns_of: by flag, the constant for writing only the columns with that flag.
        shared: by class, the objects that are written by the same steps for all kinds of the class.
    """

    def __init__(
        self,
        spec: Spec,
        protocol: JsonProtocol,
        at: Mapping[str, str],
        printed: Mapping[Member, str],
        ways: Sequence[Expression],
    ) -> None:
        """

        Args:
            at: the constants of the event columns, by name.
            printed: the names of members in printed code.
            ways: the constants of the choices of columns of a row image: all, or those of each of `kept_flags`.
        """
        self.spec = spec
        self.protocol = protocol
        self.at = {name: named(constant) for name, constant in at.items()}
        self.kind_names = kind_constants(spec.events)
        self.printed = printed
        self.spelling = protocol.spelling.of(next(iter(protocol.producers)))
        self.carried_cases = self._carried_cases()
        self.scalars = self._scalar_planner()
        self.keeps = [one for one in protocol.options.values() if one.keep is not None]
        self.all_columns = ways[0]
        self.columns_of = dict(zip(kept_flags(protocol), ways[1:], strict=True))
        members = [one for _, one in protocol.walk()]
        self.describes = any(isinstance(one, DESCRIBED) for one in members)
        """Whether messages describe the columns of their rows."""
        self.described_apart = protocol.described is not None or protocol.untyped is not None
        """Whether messages of rows do not describe their columns."""
        self.shared = {name: self._shared(name) for name in spec.events.classes}

    def messages(self) -> tuple[WriteMessage, ...]:
        """The functions that write a message, one for each kind of event."""
        return tuple(self._message(kind, case) for kind, case in self.carried_cases)

    def objects(self) -> tuple[Method, ...]:
        """The functions that write an object shared by several messages."""
        return tuple(one for found in self.shared.values() for one in found.values())

    def images(self, kind: EventKind) -> tuple[str, ...]:
        """The row images of a kind of event."""
        cls = self.spec.events.classes[kind.cls]
        return tuple(str(name) for name in (kind.images if kind.images is not None else cls.images))

    def _scalar_planner(self) -> ScalarPlanner:
        return ScalarPlanner(self.spec, self.protocol, self.at, self.spelling)

    def _carried_cases(self) -> list[tuple[EventKind, JsonCase | None]]:
        """The kinds of events that have messages, each with its case; None is the rest."""
        kinds = self.spec.events.kinds
        found: list[tuple[EventKind, JsonCase | None]] = []
        for kind in kinds.values():
            cases = [one for one in self.protocol.message.all_cases if one.event == kind.name and not one.reads]
            found += [(kind, case) for case in cases[:1]]  # those of more differ in the text of the switch
            rest = self.protocol.message.rest
            if rest is not None and rest.event == kind.name:
                found.append((kind, None))
        return found

    def _message(self, kind: EventKind, case: JsonCase | None) -> WriteMessage:
        root = self.protocol.message
        rest = root.rest
        option = rest.when if case is None and rest is not None else case.when if case is not None else None
        images = self.images(kind)
        main = images[0] if images else ""
        written = WrittenKind(kind, case, main, f"{main}_row")
        shared = self.shared[kind.cls]
        writer = Writer()
        writer.raw(b"{")
        needs: set[str] = set()
        for piece in self._pieces(root, written):
            if piece.member in shared:
                writer.add(_called(shared[piece.member], piece, written))
            else:
                writer.add(piece.steps)
                needs |= piece.needs
        writer.raw(b"}")
        told = [str(one.text) for one in self.scalars.statements.cases(kind)] or ([] if case is None else [case.text])
        about = f"{', '.join(told)}: {kind.about[:1].lower()}{kind.about[1:]}" if told else kind.about
        body = (
            *self.table_of(needs),
            *(line for image in images for line in self._prepared(kind, case, image)),
            *(line for image in images for line in self.located(image)),
            *self.in_zone(images),
            *(_described(images) if self.describes else ()),
            *(_alike(images, self.protocol.envelope is not None) if self.described_apart else ()),
            *self.whole_rows(case, images),
            *writer.all(),
            *RETURN_OK,
        )
        return WriteMessage(
            code=Name(self.kind_names[kind.name]),
            when=None if option is None else option_attribute(option),
            cls=str(kind.cls),
            method=Method(f"write_{kind.name}", WRITER, INT, (about,), body),
        )

    def table_of(self, needs: set[str] | frozenset[str]) -> Body:
        """Reads the number of the event's table, if the steps need it."""
        return (Declare("table", SIZE, int_at(self.at["table"])),) if "table" in needs else ()

    def whole_rows(self, case: JsonCase | None, images: tuple[str, ...]) -> Body:
        """Decides how a row without columns is written. If messages leave such a row out, it is read as partial where
        the event is marked partial; otherwise it is read where the message states that its table has no columns.
        """
        found: list[Statement] = []
        partial = self.spec.events.meaning(PARTIAL)
        for image in images[:1] if case is not None and case.images else ():
            untold = self._untold(image)
            if untold is None and (self.protocol.untyped is None or image != NEW):
                break
            bare = all_of(Not(Name(image).attribute("texts").attribute("width")), untold)
            reason = f"its row image `{image}` has no columns, and the message does not say that its table has none"
            found += when(bare, (Do(own("refuse")(Literal(reason))),))
        for image, id in () if case is None else case.images.items():
            member = self.protocol.message.members[id]
            if isinstance(member, RowsMember) and str(image) in images and self._unread(member, image == images[0]):
                without: Expression | None = Not(Name(image).attribute("texts").attribute("width"))
                if member.empty and (at := self.at.get(str(partial))) is not None:
                    without = all_of(without, any_of((null_at(at), int_at(at).equals(0))))
                reason = f"its row image `{image}` has no columns, and a message that says so is not read"
                found += when(without, (Do(own("refuse")(Literal(reason))),))
        return tuple(found)

    def _unread(self, member: RowsMember, main: bool) -> bool:
        """Whether a row without columns is not read: it is left out, or only the description of its table says which
        columns it should have.
        """
        return bool(member.empty) or (main and self.protocol.described is not None and self.protocol.envelope is None)

    def _untold(self, image: str) -> Expression | None:
        """The condition under which a message does not state that a table without columns has none. None: messages
        always state it, or omit the row.
        """
        if self.protocol.envelope is not None:
            return own("untold")(int_at(self.at[f"{image}_layout"]))
        declared = [one for one in self.printed if isinstance(one, DeclaredMember)]
        if image != next(str(one) for cls in self.spec.events.classes.values() for one in cls.images):
            return None  # a deleted row may consist of its handle key alone, which can have no columns
        if any(len(set(one.empty.values())) > 1 for one in declared):
            return own(f"empty_{self.printed[declared[0]]}").equals(Literal(b"null"))
        return None

    def option_of(self, kind: EventKind, case: JsonCase | None, image: str) -> str | None:
        """The option without which a row image is omitted; None if it is always written."""
        id = None if case is None else next((str(id) for key, id in case.images.items() if key == image), None)
        option = None if id is None else self.protocol.message.members[id].when_of.get(kind.name)
        return None if option is None else option_attribute(option)

    def _prepared(self, kind: EventKind, case: JsonCase | None, image: str) -> Body:
        """Prepares a row image for writing; an image that is not written is only read."""
        option = self.option_of(kind, case, image)
        layout = int_at(self.at[f"{image}_layout"])
        if option is not None:
            main = self.images(kind)[0]
            prepared = Call(own("prepare"), (layout, self.way(kind, image)))
            row = Choice(int_at(self.at[f"{image}_row"]), own(option), Literal(0))
            return (
                Declare(image, object_type("WrittenRows"), Choice(prepared, own(option), Name(main))),
                Declare(f"{image}_row", SIZE, row),
            )
        prepared = Call(own("prepare"), (layout, self.way(kind, image)))
        return (
            Declare(image, object_type("WrittenRows"), prepared),
            Declare(f"{image}_row", SIZE, int_at(self.at[f"{image}_row"])),
        )

    def located(self, rows: str) -> Body:
        """Sets the location of the values of rows (the name of a variable), if they have one; the event says it."""
        members = self.protocol.message.members.values()
        field = next((one.located for one in members if isinstance(one, RowsMember)), None)
        said = [] if field is None else [Call(own("located"), (EVENT, self.at[str(field)]))]
        return tuple(assign(Name(rows).attribute("location"), one) for one in said)

    def in_zone(self, images: tuple[str, ...]) -> Body:
        """Sets the time zone of the event's TIMESTAMP values, which are written in UTC."""
        rows = (one for one in self.protocol.message.members.values() if isinstance(one, RowsMember))
        said = [one.utc for one in rows if one.utc is not None and images]
        return tuple(assign(SINK.attribute("zone"), Call(own("zone"), (EVENT, self.at[str(one)]))) for one in said[:1])

    def _shared(self, cls: str) -> dict[Member, Method]:
        """The objects that are written by the same steps for all kinds of a class."""
        written = [WrittenKind(kind, case, "rows", "row") for kind, case in self.carried_cases if kind.cls == cls]
        if len(written) < 2:
            return {}
        images = {image for one in written for image in self.images(one.kind)}
        kinds = ", ".join(str(one.kind.name) for one in written)
        pieces = [{piece.member: piece for piece in self._pieces(self.protocol.message, one)} for one in written]
        found: dict[Member, Method] = {}
        for member, piece in pieces[0].items():
            alike = all(one.get(member) == piece for one in pieces) and not piece.needs & images
            if alike and isinstance(member, ObjectMember):
                _, steps = unconditional(piece.steps)
                if count_lines(steps) >= FEWEST_LINES:
                    held = self.protocol.objects[member.part]
                    found[member] = Method(
                        name=f"write_{identifier(cls)}_{identifier(held.name)}",
                        parameters=(*WRITER, *(one for one in PARAMETERS if one.name in piece.needs)),
                        returns=INT,
                        about=(f"{member.name} of {kinds}.",),
                        body=(*self.table_of(piece.needs), *steps, *RETURN_OK),
                    )
        return found

    def way(self, kind: EventKind, image: str) -> Expression:
        """The expression for the columns of an image that are written."""
        found: Expression = self.all_columns
        for option, keep in self._kept(kind, image):
            if keep.flagged is not None:
                kept = self.columns_of[str(keep.flagged)]
                found = kept if option is None else Choice(kept, own(option_attribute(option.name)), found)
        return found

    def kept_alone(self, kind: EventKind, image: str) -> str:
        """A hint for the error about an image without any column to write; empty if all columns are written."""
        return "".join(
            f": messages have only those flagged {keep.flagged}, so flag the columns of its key"
            if option is None
            else f": {option.name} keeps only those flagged {keep.flagged}, so flag the columns of its key, or encode "
            "without it"
            for option, keep in self._kept(kind, image)
            if keep.flagged is not None
        )

    def _kept(self, kind: EventKind, image: str) -> list[tuple[Option | None, Keep]]:
        """What is kept of an image: always, as the case says, or with an option."""
        said = [(None, case.keep) for case in self.protocol.message.all_cases if case.keep is not None]
        found = [*((one, one.keep) for one in self.keeps if one.keep is not None), *said]
        return [(option, keep) for option, keep in found if keep.event == kind.name and keep.image == image]

    def write_object(self, w: Writer, held: JsonObject, written: WrittenKind) -> None:
        """Writes a nested object."""
        w.raw(b"{")
        for piece in self._pieces(held, written):
            w.add(piece.steps)
            written.needs.update(piece.needs)
        w.raw(b"}")

    def _pieces(self, held: JsonObject, written: WrittenKind) -> list[_Piece]:
        """The members of an object, each with its comma. The comma is required, absent, or decided at run time."""
        found: list[_Piece] = []
        before: bool | None = False
        for member in self._members(held, written.kind):
            needing = replace(written, needs=set())
            value = Writer()
            there = self._value(value, member, needing)
            if there is None:
                continue
            name = spelled(str(member.name), self.spelling) + b":"
            start: Body = (write("comma"), raw(name)) if before is None else (raw(b"," + name if before else name),)
            inner = Writer()
            inner.add(self._whole(start, value.all(), member))
            named_option = member.when_of.get(written.kind.name, member.when)
            option = None if named_option is None else own(option_attribute(named_option))
            condition = all_of(option, there.condition)
            before = before or (None if condition is not None or self.takes_back(member) else True)
            found.append(_Piece(member, when(condition, inner.all()), frozenset(needing.needs)))
        return found

    def _members(self, held: JsonObject, kind: EventKind) -> tuple[Member, ...]:
        """The members that messages of a kind can have, in the order in which they are written."""
        return tuple(one for one in held.ordered(kind.cls, kind.name) if not one.reads)

    def members_of(self, cls: str) -> Iterator[Scalar]:
        """The scalars that messages of a class and their keys have, of every object."""
        for path, member in self.protocol.walk_all():
            if isinstance(member, Scalar) and all(one.is_of(cls) for one in (*path, member)):
                yield member

    def takes_back(self, member: Member) -> bool:
        """Whether a member may be removed again after it was written, because it turned out to be empty."""
        return False

    def _whole(self, name: Body, value: Body, member: Member) -> Body:
        """The steps for a member: the comma, its name and its value."""
        return (*name, *value)

    def _value(self, w: Writer, member: Member, written: WrittenKind) -> There | None:
        """Plans the value of a member. Returns the condition under which the member is written; None if it never is."""
        if isinstance(member, ObjectMember):
            self.write_object(w, self.protocol.objects[member.part], written)
            if member.absent is None:
                return ALWAYS
            filled = self._filled(member, written)
            return filled if member.omitted else self._or_nothing(w, member, filled)
        if isinstance(member, DescriptionMember):
            if member.event not in self.spec.events.classes[written.kind.cls].fields:
                return nothing(w, member)
            at = self.at[str(member.event)]
            if isinstance(member, ChangesMember):
                statement = (str(self.spec.events.meaning(one)) for one in (DDL_TYPE, STATEMENT))
                columns = [at, self.at["table"], *(self.at[name] for name in statement)]
                columns.append(Literal(-1) if member.renamed is None else self.at[str(member.renamed)])
                w.call("raw", own("changes")(EVENT, *columns))
                return ALWAYS
            w.call("raw", Call(own("described"), (EVENT, at)))
            there = There(Not(null_at(at)))
            return there if member.omitted else self._or_nothing(w, member, there)
        if isinstance(member, Scalar):
            return self.scalars.write(w, member, written)
        kind, case = written.kind, written.case
        images = self.images(kind)
        if isinstance(member, RowsMember):
            image = next((str(key) for key, id in case.images.items() if id == member.id), None) if case else None
            if image is None or image not in images:
                return nothing(w, member)
            if not member.single:
                w.raw(b"[")
            self._image(w, written, image)
            if not member.single:
                w.raw(b"]")
            return There(Name(image).attribute("texts").attribute("width")) if member.empty else ALWAYS
        if not images:
            return nothing(w, member)
        spelling = Name("members").attribute(self.printed[member])
        omitted = OMIT in member.empty.values() if isinstance(member, DESCRIBED) else False
        if isinstance(member, MappedMember):
            written.needs.update(("members", "rows", "row"))
            rows = Name(written.rows)
            w.steps.append(Do(spelling.call("write", SINK, rows, Name(written.row))))
            return There(rows.attribute("texts").attribute("width")) if omitted else ALWAYS
        written.needs.add("members")
        w.call("raw", spelling)
        return There(Name("len")(spelling)) if omitted else ALWAYS

    @staticmethod
    def _or_nothing(w: Writer, member: Member, there: There) -> There:
        """Writes the value, or what stands for none."""
        if member.absent is not None:
            w.steps = [*when(there.condition, w.all(), (raw(str(member.absent).encode()),))]
        return ALWAYS

    def said_in(self, member: ObjectMember, cls: EventClass) -> list[str]:
        """The event fields that an object carries."""
        inner = self.protocol.objects[member.part].members.values()
        written = (one for one in inner if not one.reads and one.is_of(cls.key))
        return [str(one.event) for one in written if isinstance(one, Scalar) and one.event in cls.fields]

    def _filled(self, member: ObjectMember, written: WrittenKind) -> There:
        """The condition under which an object is written: its first field is not null, and then none of its fields
        is.
        """
        said = self.said_in(member, self.spec.events.classes[written.kind.cls])
        return There(Not(null_at(self.at[said[0]])))

    def _image(self, w: Writer, written: WrittenKind, image: str) -> None:
        written.needs.add(image)
        rows, row = Name(image), Name(f"{image}_row")
        plain = Do(rows.call("write", SINK, row))
        other = next((name for name in self.images(written.kind) if name != image), None)
        for option, keep in self._kept(written.kind, image):
            if keep.changed and other is not None:
                as_written = self._as_written(keep)
                changed = Do(rows.call("write_changed", SINK, row, Name(other), Name(f"{other}_row"), as_written))
                w.steps += (
                    (changed,) if option is None else when(own(option_attribute(option.name)), (changed,), (plain,))
                )
                return
        w.steps.append(plain)

    def _as_written(self, keep: Keep) -> Expression:
        """Whether the producer compares values as it would write them."""
        who = tuple(Literal(str(name)) for name in keep.as_written)
        return own("producer").compared("in", Items(who)) if who else Literal(False)


def _described(images: tuple[str, ...]) -> Body:
    """Describes the columns of the first image, and checks that the other images do not contradict it."""
    if not images:
        return ()
    main, *others = images
    members, type = Name("members"), object_type("RowMembers")
    found: list[Statement] = [Declare(members.id, type, Name(main).attribute("texts"))]
    for image in others:
        theirs = Name(f"{image}_members")
        check = members.call("check_described", theirs, Literal(image), Literal(main))
        found += [
            Declare(theirs.id, type, Name(image).attribute("texts")),
            *when(theirs.compared("is not", members), (Do(check),)),
        ]
    return tuple(found)


def _alike(images: tuple[str, ...], blocks: bool) -> Body:
    """Checks that all images are of one table where their columns are described elsewhere; a schema block has the
    columns of the first image.
    """
    found: list[Statement] = []
    for other in images[1:]:
        mine, theirs = (Name(image).attribute("texts") for image in (images[0], other))
        checks: Body = (Do(mine.call("check_alike", theirs, Literal(other))),)
        if blocks:
            covers = mine.call("check_covers", theirs, Literal(other), Literal(images[0]))
            checks += when(own("with_blocks"), (Do(covers),))
        found += when(theirs.compared("is not", mine), checks)
    return tuple(found)


def _called(function: Method, piece: _Piece, written: WrittenKind) -> Body:
    """A call in place of the steps. The caller checks whether the object is present."""
    given = {"rows": written.rows, "row": written.row}
    arguments = tuple(Name(given.get(one.name, one.name)) for one in function.parameters)
    condition, _ = unconditional(piece.steps)
    return when(condition, (Do(Call(own(function.name), arguments)),))
