"""Makes typed rows of one table from the layouts of its changes in a batch."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from tidewire.mysql import ColumnType
from tidewire.reading.images import TableImages, add
from tidewire.reading.kernels.convert import Converted, State
from tidewire.reading.kernels.picked import PICKS, Picked
from tidewire.reading.labels import LABELLED, as_labels, labels_of
from tidewire.reading.options import ReadOptions
from tidewire.reading.tables import alike_in_case, dotted
from tidewire.reading.typed import Conversion, Usual, converter
from tidewire.reading.types import SchemaError, Wanted
from tidewire.runtime.arrow.literals import column_of, constant
from tidewire.runtime.batch import EventColumns, Layout

if TYPE_CHECKING:
    from tidewire.messages.protocol_facts import ProtocolFacts

REFUSED = 255
"""The state of a value whose column cannot be converted to the declared type; in addition to those of `State`."""
MOST_PLANS = 1024
"""The most layouts whose plans a task caches."""
MOST_SHOWN = 100
"""The most characters of a value in a reason."""


class Step(NamedTuple):
    """How a declared column is made from a layout."""

    position: int
    """Position of the column in the layout."""
    conversion: Conversion | None
    """The conversion; None: the column cannot have the declared type."""
    why: str
    """The reason for unconverted values, if it is not simply the types."""


class Plan(NamedTuple):
    """How rows of the declared columns are made from row images with one layout."""

    steps: list[Step | None]
    """For each declared column its step; None: the layout lacks the column."""
    left: list[int]
    """The positions of columns that are not declared."""
    absent: list[str]
    """The declared columns that the layout lacks."""
    usual: list[tuple[str, int, Usual]]
    """Declared columns that can be made in one pass: name, position in the layout, method."""


def lost(states: pa.Array, options: ReadOptions) -> pa.Array:
    """bool: whether a value was lost, except by a policy that the user selected."""
    policy = State.NO_DAY if options.zero_date == "null" else State.VALUE
    return pc.greater(states, constant(policy, pa.uint8()))


class TypedRows:
    """Makes the columns of typed rows, layout by layout.

    Attributes:
        facts: of the protocol.
        options: how values are converted.
        table: schema and name.
        wanted: the columns of the rows.
    """

    facts: ProtocolFacts
    options: ReadOptions
    table: tuple[str, str]
    wanted: Sequence[Wanted]

    @cached_property
    def plans(self) -> dict[Any, Plan]:
        """The cached plans of layouts."""
        return {}

    @cached_property
    def _shown(self) -> str:
        """The table's name, for reasons."""
        return dotted(self.table)

    def convert_all(self, decoded: EventColumns, images: TableImages) -> dict[str, pa.Array]:
        """The declared columns of the images, and the rescued-data column where there is one."""
        plans = self.plan_all(decoded, images.parts)
        columns = self.usual(plans[0], images) if PICKS and len(plans) == 1 else {}
        refused: list[list[tuple[int, pa.Array]]] = [[] for _ in plans]
        for at, declared in enumerate(self.wanted):
            if declared.name in columns:
                continue
            target = declared.target.arrow
            steps = [plan.steps[at] for plan in plans]
            made = [_convert(step, layout, target) for step, layout in zip(steps, images.parts, strict=True)]
            columns[declared.name] = _joined([one.array for one in made]).take(images.image)
            if self.options.rescued_column is None:
                self.explain(declared, steps, made, images)
                continue
            for step, one, kept in zip(steps, made, refused, strict=True):
                if step is not None and one.states is not None:
                    kept.append((step.position, pc.and_not(lost(one.states, self.options), _damaged(one.states))))
            self.explain(declared, steps, [_of_the_damaged(one) for one in made], images)
        if self.options.rescued_column is not None:
            parts = [
                self.rescued(layout, plan, kept)
                for layout, plan, kept in zip(images.parts, plans, refused, strict=True)
            ]
            columns[self.options.rescued_column] = _joined(parts).take(images.image)
        return columns

    def rescued(self, layout: Layout, plan: Plan, refused: Sequence[tuple[int, pa.Array]]) -> pa.Array:
        """The rescued-data column of a layout's rows.

        Args:
            layout: the rows.
            refused: positions of columns with values that the schema cannot hold, and a bool array of the rows
                concerned.
        """
        raise NotImplementedError

    def usual(self, plan: Plan, images: TableImages) -> dict[str, pa.Array]:
        """The declared columns in which every value fits, if all images are of one layout."""
        (layout,) = images.parts
        storages = layout.storages()
        positions = [position for _, position, _ in plan.usual]
        picked = Picked(layout.source(positions, [storages[position] for position in positions]), images.image)
        made = {name: usual(picked, c) for c, (name, _, usual) in enumerate(plan.usual)}
        return {name: array for name, array in made.items() if array is not None}

    def plan_all(self, decoded: EventColumns, parts: Sequence[Layout]) -> list[Plan]:
        """The plan of each layout."""
        plans, new = [], []
        for layout in parts:
            # a text column is binary in a batch where it has invalid UTF-8
            key = layout.columns, tuple(layout.storages())
            found = self.plans.get(key)
            if found is None:
                if len(self.plans) >= MOST_PLANS:
                    self.plans.clear()
                found = self.plans[key] = self.plan(layout)
                new.append(layout)
            plans.append(found)
        if new:
            self.met(decoded, new)
        return plans

    def met(self, decoded: EventColumns, new: Sequence[Layout]) -> None:
        """Called with layouts whose plans were just made."""

    def plan(self, layout: Layout) -> Plan:
        """How rows of the declared columns are made from row images with this layout."""
        positions: dict[str, int] = {}
        twice: dict[str, str] = {}
        for at, column in enumerate(layout.columns):
            first = positions.setdefault(column.name.lower(), at)
            if first != at:
                twice[column.name.lower()] = alike_in_case(layout.columns[first].name, column.name)
        steps: list[Step | None] = []
        for declared in self.wanted:
            place, why = positions.get(declared.name.lower()), twice.get(declared.name.lower())
            if place is not None and why is not None:
                steps.append(Step(place, None, why))
            else:
                steps.append(None if place is None else self.step(layout, place, declared))
        absent = [declared.name for declared, step in zip(self.wanted, steps, strict=True) if step is None]
        used = {step.position for step in steps if step is not None}
        usual = [
            (declared.name, step.position, step.conversion.usual)
            for declared, step in zip(self.wanted, steps, strict=True)
            if step is not None and step.conversion is not None and step.conversion.usual is not None
        ]
        return Plan(steps, [at for at in range(len(layout.columns)) if at not in used], absent, usual)

    def step(self, layout: Layout, position: int, declared: Wanted) -> Step:
        """How a declared column is made from a column of a layout."""
        column, stored = layout.columns[position], layout.arrays[position].type
        asked = self.options.enum == "label" and declared.target.arrow == pa.utf8()
        if asked and column.type in LABELLED and stored == pa.uint64():
            labels = labels_of(column.mysql_type) or declared.labels
            kind = ColumnType(column.type).name
            if labels:
                by_label = Conversion(partial(as_labels, column, labels=labels))
                return Step(position, by_label, f"has no label in this {kind}")
            return Step(
                position,
                None,
                f"column {column.name!r}: the message does not say the labels of this {kind}; declare INT or "
                "DECIMAL(20,0) for the number, or give them as `members` in the metadata of the schema's field",
            )
        try:
            return Step(position, converter(column, stored, declared.target, self.options.timezone), "")
        except SchemaError as error:
            return Step(position, None, str(error))

    def explain(
        self, declared: Wanted, steps: Sequence[Step | None], made: Sequence[Converted], images: TableImages
    ) -> None:
        """Says why values of a column were not converted, by row of the output."""
        if all(one.states is None for one in made):
            return
        filled, texts, part = [], [], []
        for at, (step, layout, one) in enumerate(zip(steps, images.parts, made, strict=True)):
            part.append(pa.repeat(constant(at, pa.int32()), layout.num_rows))
            if one.states is None or step is None:
                filled.append(pa.repeat(constant(State.VALUE, pa.uint8()), layout.num_rows))
                texts.append(pa.nulls(layout.num_rows, pa.utf8()))
            else:
                filled.append(one.states)
                texts.append(_readable(layout.arrays[step.position]))
        states = _joined(filled).take(images.image)
        rows = pc.indices_nonzero(lost(states, self.options))
        found = images.image.take(rows)
        text, at_part = _joined(texts).take(found), _joined(part).take(found)
        shown = zip(*(one.to_pylist() for one in (rows, states.take(rows), text, at_part)), strict=True)
        for row, state, value, at in shown:
            step = steps[at]
            add(images.reasons, row, self.reason(declared, state, value, "" if step is None else step.why))

    def reason(self, declared: Wanted, state: int, text: str, why: str) -> str:
        """A sentence about a value that was not converted."""
        if state == REFUSED:
            return f"{self._shown}, {why}"
        kind = declared.target.name
        value = repr(text if len(text) <= MOST_SHOWN else f"{text[: MOST_SHOWN - 1]}…")
        subject = f"{self._shown}, column {declared.name!r}: {value} "
        if why:
            return subject + why
        if state == State.NO_DAY:
            return (
                subject + "is not a day of the calendar; option zeroDate=null makes it null, a STRING column keeps it"
            )
        if state == State.NO_SINGLE:
            defects = self.facts.defects.items()
            names = [f"; {name}: {about}" for name, (_, types, about, *_) in defects if ColumnType.FLOAT in types]
            return subject + "is no 32-bit float, as every FLOAT is" + "".join(names)
        if state == State.NO_ROOM:
            return subject + f"does not fit {kind}; declare a wider type, or STRING"
        return subject + f"is not a value that {kind} can hold; declare STRING or BINARY"


def _convert(step: Step | None, layout: Layout, target: pa.DataType) -> Converted:
    """One declared column of one layout."""
    if step is None:
        return Converted(pa.nulls(layout.num_rows, target), None)
    array = layout.arrays[step.position]
    if step.conversion is not None:
        return step.conversion.convert(array)
    lost = pa.nulls(len(array), target)
    if array.null_count == len(array):
        return Converted(lost, None)
    refused, none = constant(REFUSED, pa.uint8()), constant(State.NULL, pa.uint8())
    return Converted(lost, pc.if_else(pc.is_valid(array), refused, none))


def _damaged(states: pa.Array) -> pa.Array:
    """bool: whether a value is damaged: invalid for its column, whatever the schema. Such values are not rescued."""
    return pc.equal(states, constant(State.NO_SINGLE, pa.uint8()))


def _of_the_damaged(one: Converted) -> Converted:
    """The converted column with only the states of damaged values; None if there are none."""
    if one.states is None:
        return one
    damaged = _damaged(one.states)
    states = pc.if_else(damaged, one.states, constant(State.VALUE, pa.uint8()))
    return Converted(one.array, states if pc.any(damaged).as_py() else None)


def _joined(arrays: Sequence[pa.Array]) -> pa.Array:
    return arrays[0] if len(arrays) == 1 else pa.concat_arrays(arrays)


def _readable(array: pa.Array) -> pa.Array:
    if array.type == pa.binary():
        return column_of([None if value is None else value.hex() for value in array.to_pylist()], pa.utf8())
    return array.cast(pa.utf8())
