"""The decoder methods that read a message: members in the order of arrival, and rows once their columns are known.

Usually the members that identify a row's table precede the rows, which are then read at once. Otherwise the rows are
skipped, and read when the rest of the message is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..syntax.calls import RETURN_OK, missing
from ..syntax.nodes import (
    INT,
    NONE,
    SIZE,
    And,
    Assign,
    Body,
    Branch,
    Call,
    Change,
    Choice,
    Declare,
    Do,
    Expression,
    Items,
    Literal,
    Method,
    Name,
    Not,
    Operand,
    Parameter,
    Return,
    Statement,
    all_of,
    any_of,
    assign,
    chain,
    named,
    object_type,
    own,
    when,
)
from .event_puts import PARTS
from .members import (
    POS,
    READER,
    WHICH,
    forget,
    has,
    open_object,
    read,
    read_members,
    start_of,
    take_object,
    take_part,
    take_scalar,
)
from .message_steps import (
    CASE,
    COLUMNS,
    FALSE,
    TABLE,
    TRUE,
    among,
    check_skipped,
    describe,
    is_there,
    no_row,
    read_rows,
    refuse_statement,
    unread,
    waiting,
)
from .reading_nodes import OPENING, KeptAttribute, ReadCase, ReadMember, ReadObject

CURSOR = Parameter("r", object_type("JsonCursor"))
MESSAGE = Parameter("message", SIZE)
TYPES_READ, HAS_IMAGES = own("types_read"), own("has_images")
UNKNOWN, UNDESCRIBED = Name("unknown"), Name("undescribed")
OPENED = own("opening")
"""The cache of the previous message's prefix."""


@dataclass(frozen=True)
class MessageMethods:
    """Plans the methods."""

    objects: tuple[ReadObject, ...]
    """All objects of a message, the root first."""
    switch: ReadMember
    schema: ReadMember | None
    table: ReadMember | None
    names: tuple[ReadMember, ...]
    """Members that hold the names of columns."""
    declared: ReadMember | None
    """The member that holds the types of columns."""
    rows: tuple[ReadMember, ...]
    cases: tuple[ReadCase, ...]
    rest: ReadCase | None
    partial: ReadMember | None = None
    """The member that marks a row as partial."""
    version: ReadMember | None = None
    """The member with the version of the description that the rows are read with."""
    version_holders: tuple[ReadMember, ...] = ()
    """The objects that contain the version member."""
    physical: ReadMember | None = None
    """The member with the time that selects a description if a message has no version: milliseconds."""
    version_needed: bool = False
    """Whether every message with rows must have a version."""
    believed: Mapping[str, tuple[ReadMember, str]] = field(default_factory=dict)
    """By method that makes events: the member by which a message declares that it has no events, and the constant with
    what such a message may contain.
    """
    unnamed: str | None = None
    """The option that names the table of rows without a table name."""
    has_blocks: bool = False
    """Whether a schema block beside the message may describe the columns of its rows."""
    untyped: bool = False
    """Whether nothing tells the types of columns."""
    learns: bool = False
    """Whether the decoder remembers table descriptions from messages; not those of a message with trailing bytes."""

    @property
    def root(self) -> ReadObject:
        return self.objects[0]

    @property
    def outlining(self) -> tuple[ReadMember, ...]:
        """The members that tell which columns exist where column types are not given."""
        return tuple(one for one in self.root.members if one.outlines)

    @property
    def shared(self) -> tuple[ReadMember, ...]:
        """The names that several members have."""
        return tuple(one for one in self.root.members if one.choices)

    @property
    def unswitched(self) -> tuple[ReadCase, ...]:
        """The cases of messages in which the switch member is absent or null."""
        return tuple(case for case in self.cases if not case.switched)

    def all(self) -> tuple[Method, ...]:
        """All methods, in the order in which they are printed."""
        tell = (self.tell(),) if self.rows else ()
        return (self.read_root(), self.recognize(), *tell, *map(self.read_object, self.objects[1:]))

    # ---- what messages begin with

    @property
    def opens(self) -> bool:
        """Whether the prefix cache may be used: nothing before the rows changes the decoder's state (as column types
        would), so an equal prefix has an equal result.
        """
        told = self.declared is not None or self.names or self.outlining or self.version is None or self.shared
        return self.learns and not told and bool(self.rows) and all(one.single for one in self.rows)

    @property
    def numbers(self) -> tuple[ReadMember, ...]:
        """The integer members that may differ between messages with otherwise equal prefixes."""
        read = [one for held in self.objects for one in held.read]
        plain = (one for one in read if one.limits is None and not one.unit)
        return tuple(one for one in plain if one.kind in ("integer", "uinteger"))

    @property
    def kept(self) -> tuple[KeptAttribute, ...]:
        """The decoder's attribute for the prefix cache."""
        if not self.opens:
            return ()
        rows = Items(tuple(Literal(one.number) for one in self.rows))
        return (KeptAttribute("opening", OPENING, Name(OPENING)(rows, Literal(len(self.numbers)))),)

    def _opened(self) -> Body:
        """What a decoder does when the prefix equals the previous message's: it takes the integers from the cache."""
        said: list[Statement] = [Assign((UNKNOWN, UNDESCRIBED), Literal(0))]
        for number, one in enumerate(self.numbers):
            bits = "i64" if one.kind == "integer" else "u64"
            said.append(assign(own(one.attribute), OPENED.attribute("values").attribute(bits).at(Literal(number))))
        return tuple(said)

    def _cut(self) -> Body:
        """Ends the cached prefix at the first row."""
        if not self.opens:
            return ()
        bare = all_of(*(start_of(one).compared("<", 0) for one in self.rows))
        return (Do(OPENED.call("cut", READER, own(self.root.attribute), bare or TRUE)),)

    # ---- members

    def take(self, member: ReadMember) -> Body:
        """Reads one member."""
        if member.choices:
            return self._take_shared(member, (read("part", own(member.attribute), Name(member.field)),))
        if self.opens and member in self.numbers:
            return take_scalar(member, (Do(OPENED.call("mark", READER, self.numbers.index(member))),))
        if member.kind == "text" or member.storage is not None:
            return take_scalar(member)
        if member.kind == "object":
            return take_object(member)
        if member.kind == "mapped":
            return self._take_mapped(member)
        if member.kind == "description":
            return (read("checked_part", own(member.attribute), Name(member.field)),)
        if member.kind == "declared" and member.at_once:
            return self._take_declared(member)
        if member.kind == "rows":
            at_once = all_of(UNDESCRIBED.equals(0), own(f"reads_{member.attribute}"))
            tell = Do(Call(own("tell"), (READER,)))
            return when(at_once, (*self._cut(), tell, read_rows(member)), take_part(member))
        return take_part(member)

    @staticmethod
    def _take_mapped(member: ReadMember) -> Body:
        field = Name(member.field)
        kept = (assign(start_of(member), POS),) if member.outlines else ()
        skip = Do(Name("skip_as_last")(TABLE, READER, member.which, field))
        return (*kept, *when(HAS_IMAGES, (skip,), (read("passed", field),)))

    def _take_shared(self, member: ReadMember, otherwise: Body = ()) -> Body:
        """Reads the member that messages of this case have under a name; what else is done when none has it."""
        branches = []
        for one in member.choices:
            passed = (read("passed", Name(one.field)),)
            branches.append(Branch(self._makes(one.functions), passed if one.kind == "passed" else self.take(one)))
        return chain(branches, otherwise)

    def _makes(self, functions: Sequence[str]) -> Expression:
        """Whether the message is of a case whose events one of these methods makes."""
        found: list[Expression] = [
            CASE.equals(named(case.number)) for case in self.cases if case.function and case.function in functions
        ]
        if self.rest is not None and self.rest.function in functions:
            found.append(CASE.compared(">=", named(self.rest.number)))
        return any_of(tuple(found))

    def _take_declared(self, member: ReadMember) -> Body:
        described: list[Statement] = [describe(member), assign(TYPES_READ, TRUE)]
        if self.outlining:
            names = ", ".join(one.name for one in self.outlining)
            wait = Change(UNDESCRIBED, "+", Literal(1), f"it tells of none: rows wait for {names}")
            described += when(COLUMNS.attribute("described").equals(0), (wait,))
        return when(HAS_IMAGES, tuple(described), take_part(member))

    def _take_of_root(self, member: ReadMember) -> Body:
        before = (Change(UNDESCRIBED, "-", Literal(1)),) if member.describes else ()
        told = all_of(UNKNOWN.equals(0), start_of(self.switch).compared(">=", 0))
        known = when(told if self.unswitched else UNKNOWN.equals(0), (Do(Call(own("recognize"), (READER,))),))
        after = (Change(UNKNOWN, "-", Literal(1)), *known) if member.identifies else ()
        return (*before, *self.take(member), *after)

    # ---- methods

    def read_object(self, held: ReadObject) -> Method:
        """The method that reads a nested object of a message."""
        unset = [one for one in held.read if not one.part]
        body = (*WHICH, *forget(unset), open_object(held), read_members(held, self.take), *RETURN_OK)
        return Method(held.function, (CURSOR,), INT, (held.about,), body)

    def read_root(self) -> Method:
        """The method that reads the root object of a message."""
        root = self.root
        identifying = [one for one in root.members if one.identifies]
        describing = [one for one in root.members if one.describes]
        read_later = [line for one in self.rows for line in self._read_later(one)]
        body = (
            waiting(UNKNOWN, "what the message is, and of which table", identifying),
            waiting(UNDESCRIBED, "what the columns are", describing),
            *((Declare("start", SIZE, POS),) if self._passes_over else ()),
            *WHICH,
            *self._begin(),
            read_members(root, self._take_of_root),
            *((Do(OPENED.call("close", READER, own(root.attribute))),) if self.opens else ()),
            Declare("end", SIZE, POS),
            *when(CASE.compared("<", 0) if self.unswitched else UNKNOWN, self._recognize_late()),
            *(line for one in self.shared for line in self._read_shared(one)),
            *(self._describe_rows() if self.rows else ()),
            *read_later,
            assign(POS, Name("end")),
            *((self._ended(),) if self.learns else ()),
            *self._make_events(),
            *RETURN_OK,
        )
        return Method(root.function, (CURSOR, MESSAGE), INT, (root.about,), body)

    def _ended(self) -> Statement:
        """Checks that nothing follows the message, or the envelope around it."""
        field = Name(self.root.field)
        return Do(Call(own("ended"), (READER, field))) if self.has_blocks else read("ended", field)

    def _read_shared(self, member: ReadMember) -> Body:
        """Reads what was passed before it was known which member it is."""
        start = start_of(member)
        return when(start.compared(">=", 0), (assign(POS, start), *self._take_shared(member)))

    def _begin(self) -> Body:
        """Resets what was found in the previous message, and moves to the first member."""
        root = self.root
        read_ones = [one for held in self.objects for each in held.read for one in each.each]
        parts = [one for one in read_ones if one.part and one.storage is None]
        others = forget([one for each in root.read for one in each.each if not one.part])
        if not self.opens:
            return (
                assign(CASE, -1),
                Assign((TYPES_READ, HAS_IMAGES), FALSE),
                *(line for one in self.rows for line in self._forget_rows(one)),
                *forget(parts),
                *others,
                open_object(root),
            )
        fresh = (
            assign(CASE, -1),
            assign(HAS_IMAGES, FALSE),
            *(assign(own(f"reads_{one.attribute}"), FALSE) for one in self.rows),
            *forget([one for one in parts if one not in self.rows]),
            *others,
            open_object(root),
        )
        return (
            assign(TYPES_READ, FALSE),
            *(Do(own(f"rows_in_{one.attribute}").call("clear")) for one in self.rows),
            *forget([one for one in parts if one in self.rows]),
            *when(OPENED.call("repeats", READER, own(root.attribute)), self._opened(), fresh),
        )

    @staticmethod
    def _forget_rows(member: ReadMember) -> Body:
        clear = Do(own(f"rows_in_{member.attribute}").call("clear"))
        return (assign(own(f"reads_{member.attribute}"), FALSE), clear)

    def _describe_rows(self) -> Body:
        parts = (*self.names, *(() if self.declared is None else (self.declared,)))
        return when(HAS_IMAGES, (Do(Call(own("tell"), (READER,))),), tuple(map(unread, parts)))

    def _read_later(self, member: ReadMember) -> Body:
        wanted, start = own(f"reads_{member.attribute}"), start_of(member)
        late = all_of(wanted, start.compared(">=", 0))
        branches = [Branch(late, (assign(POS, start), read_rows(member))), Branch(Not(wanted), (no_row(member),))]
        if member.omitted and self.partial is not None:
            rows = own(f"rows_in_{member.attribute}")
            said = (rows.attribute("count").compared("<", 0), has(self.partial), own(self.partial.attribute))
            given = (READER, TABLE, own("cache"), Name("message"), member.which, Name(member.column_field))
            branches.append(Branch(all_of(*said), (Do(rows.call("read_nothing", *given)),)))
        return chain(branches)

    def _make_events(self) -> Body:
        made = ((case, (*self._stateless(case), *self._make(case))) for case in self.cases if not case.skip)
        found = [Branch(CASE.equals(named(case.number)), body) for case, body in made]
        alike: dict[str, list[ReadCase]] = {}
        for case in self.cases:
            if case.skip and case.switched:
                alike.setdefault(case.skip[0], []).append(case)
        field = Name(self.switch.field)
        for skip, cases in alike.items():
            found.append(Branch(among(cases), (check_skipped("pass_over", Name(skip), field),)))
        if self.rest is not None:
            found.append(Branch(CASE.compared(">=", named(self.rest.number)), self._make(self.rest)))
        return chain(found)

    @property
    def _passes_over(self) -> bool:
        """Whether some messages have no events."""
        return bool(self.believed) or any(case.skip for case in self.cases)

    def _make(self, case: ReadCase) -> Body:
        """Makes the events of a message, or checks that it has none."""
        made = (self._call(case),)
        if case.function not in self.believed:
            return made
        member, skipped = self.believed[case.function]
        denied = READER.call("denied", own(member.attribute))
        text, start = READER.call("copy", Name("start"), Name("end")), Name("start")
        nothing = Name("says_nothing")(text, start, Name(skipped), Name(self.switch.field))
        return when(Not(And((denied, nothing))), made)

    def _stateless(self, case: ReadCase) -> Body:
        """Refuses a message of a kind without statements that has a statement, or that claims to be one; a message with
        rows is refused only if both hold, where both are possible.
        """
        statements = {one.function for one in (*self.cases, self.rest) if one is not None and one.states}
        if case.function in statements or not statements:
            return ()
        every = [one for held in self.root.members for one in held.each]
        texts = [one for one in every if one.means == "statement" and one.part]
        said = [own(one.attribute).attribute("end").compared(">", start_of(one)) for one in texts]
        members = [member for function, (member, _) in self.believed.items() if function in statements]
        affirmed = [
            all_of(start_of(one).compared(">=", 0), Not(READER.call("denied", own(one.attribute)))) for one in members
        ]
        pairs = [*zip(texts, said, strict=True), *zip(members, affirmed, strict=True)]
        if any(case.images):
            pairs = [(one, all_of(text, *affirmed)) for one, text in zip(texts, said, strict=True)]
        return tuple(part for one, condition in pairs for part in when(condition, (refuse_statement(one),)))

    def _recognize_late(self) -> Body:
        """Identifies the message at its end; one without the switch member may have no events."""
        found: Body = (Do(Call(own("recognize"), (READER,))),)
        rows = Items(tuple(Literal(one.name) for one in self.rows))
        for case in self.unswitched:
            if case.skip:
                kinds = Items(tuple(map(Name, case.skip)))
                block = (own("block_text")(),) if self.has_blocks else ()
                passed = check_skipped("pass_over_one_of", kinds, rows, Name(self.switch.field), *block)
                found += when(CASE.equals(named(case.number)), (passed,))
        return found

    def _call(self, case: ReadCase) -> Statement:
        given: list[Expression] = [READER, Name("message"), named(case.code)]
        for image in case.images:
            if image is None:
                given += [NONE, Name(self.root.field)]
            else:
                rows: Expression = own(f"rows_in_{image.attribute}")
                if image.misses and len([one for one in case.images if one is not None]) > 1:
                    rows = Choice(rows, rows.attribute("count").compared(">=", 0), NONE)
                given += [rows, Name(image.field)]
        return Do(Call(own(case.function), tuple(given)))

    def recognize(self) -> Method:
        """The method that identifies the kind of a message."""
        with_images = [case for case in self.cases if any(case.images)]
        names = [own("nameless") if one is None else own(one.attribute) for one in (self.schema, self.table)]
        fields = [Name(self.root.field if one is None else one.field) for one in (self.schema, self.table)]
        kind = READER.call("name_of", own("texts"), own(self.switch.attribute), Name(self.switch.field))
        told = [Branch(is_there(case.has), (assign(CASE, named(case.number)),)) for case in self.cases if case.has]
        skipped = [assign(CASE, named(case.number)) for case in self.unswitched if case.has is None]
        nothing: Statement = skipped[0] if skipped else missing(READER, Name(self.switch.field))
        body: list[Statement] = [
            *when(
                start_of(self.switch).compared("<", 0),
                chain(told, (nothing,)) if told else (nothing,),
                (assign(CASE, kind),) if self.unswitched else (),
            ),
            *(() if self.unswitched else (assign(CASE, kind),)),
        ]
        if self.rows:
            body.append(assign(HAS_IMAGES, among(with_images)))
        for one in self.rows:
            body.append(
                assign(own(f"reads_{one.attribute}"), among([case for case in self.cases if one in case.images]))
            )
        body.append(assign(TABLE, Name("find_table")(own("tables"), READER, *names, *fields)))
        if self.unnamed is not None and self.rows:
            partly = all_of(HAS_IMAGES, TABLE.attribute("partly_named"))
            body += when(partly, (assign(TABLE, own("tables").call("named", TABLE)),))
        return Method("recognize", (CURSOR,), INT, ("What the message is, and of which table.",), (*body, *RETURN_OK))

    def tell(self) -> Method:
        """The method that resolves the columns of the rows."""
        about = "What the columns of the rows are, as far as it has not been read."
        body: list[Statement] = [Declare("here", SIZE, POS)]
        for one in self.names:
            body.append(Do(Name("named_by")(COLUMNS, READER, one.which, own(one.attribute), Name(one.field))))
        if self.version is not None:
            around = tuple(has(one) for one in self.version_holders)
            known = all_of(*around, has(self.version)) or has(self.version)
            given: list[Operand] = [READER, TABLE, known, own(self.version.attribute)]
            if self.physical is not None:
                timed = all_of(*around, has(self.physical)) or has(self.physical)
                given[-1] = Choice(own(self.version.attribute), known, Literal(0))
                given += [timed, Choice(own(self.physical.attribute), timed, Literal(0))]
            method = "read_by" if self.physical is None else "read_by_time"
            field = self.root.field if self.table is None else self.table.field
            # without a version, the table counts as not described
            asked = own(method)(*given, Name(self.version.field if self.physical is None else field))
            nameless = TABLE.attribute("table").at(PARTS["table"]).compared("is", NONE)
            absent = when(nameless, (missing(READER, Name(field)),))
            if self.unnamed is not None and self.has_blocks:  # a block gives the columns, whatever the table's name
                blockless = own("envelopes").attribute("known").compared("is", NONE)
                untold = Return(own("unnamed")(READER, Name(field), Literal(self.unnamed)))
                absent = when(all_of(nameless, blockless), (untold,))
            absent += when(Not(known), (missing(READER, Name(self.version.field)),)) if self.version_needed else ()
            body += when(Not(TYPES_READ), (assign(TYPES_READ, TRUE), *absent, Do(asked)))
        if self.declared is not None:
            start = start_of(self.declared)
            undescribed = Do(COLUMNS.call("undescribed"))
            described = when(start.compared("<", 0), (undescribed,), (assign(POS, start), describe(self.declared)))
            body += when(Not(TYPES_READ), (assign(TYPES_READ, TRUE), *described))
        if self.untyped:
            body += when(Not(TYPES_READ), (assign(TYPES_READ, TRUE), Do(COLUMNS.call("undescribed"))))
        for one in self.outlining:
            start = start_of(one)
            waits = all_of(COLUMNS.attribute("described").equals(0), start.compared(">=", 0))
            body += when(waits, (assign(POS, start), Do(Name("outlined")(COLUMNS, READER, Name(one.field)))))
        return Method("tell", (CURSOR,), INT, (about,), (*body, assign(POS, Name("here")), *RETURN_OK))
