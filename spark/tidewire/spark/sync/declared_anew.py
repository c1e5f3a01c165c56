"""What happens to a column's values when its declaration changes: as SQL, if the database's conversion is known.

The result depends on both declarations. The Spark type determines most of the old one, and the rest is known if a
statement or a row stated it (`declared.py`). What cannot be determined exactly is refused, and the table waits. A value
that cannot be converted with certainty is an error of the query, which names it.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from tidewire.reading.labels import labels_of
from tidewire.runtime.shortened import shown
from tidewire.runtime.tables.sql_actions import DeclaredColumn
from tidewire.spark.sync.sql_converted import MOST_DIGITS, TypeMeaning, type_meaning
from tidewire.spark.sync.targets.shapes import ChangeType, Respell, TargetError, converted, decimal, kind, literal
from tidewire.tables import TableDescription

_TYPES = TableDescription.TYPES
_NUMBERS = ("integer", "decimal", "float")
_CLOCK = "^-?[0-9]{2,3}:[0-9]{2}:[0-9]{2}([.][0-9]{1,6})?$"
_MOST_BITS = 63
"""The most labels of a SET: with one more, its numbers would exceed Spark's signed 64-bit integers."""
_BITS = "cast({0} as bigint)"
_DAY = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_MOMENT = "^[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,6})?$"


def declared_anew(
    table: str, column: DeclaredColumn, old: str, new: str, before: str | None, labels: str, history: bool = False
) -> list[ChangeType | Respell]:
    """The changes of a column.

    Args:
        table: its name, for errors.
        column: its new declaration.
        old, new: its types in Spark.
        before: the previously declared type; None if unknown.
        labels: how labels are read, "number" or "label".
        history: whether values keep their form if the type stays the same.

    Raises:
        TargetError: the resulting values cannot be determined.
    """
    if history and old == new:
        return []
    value = _Anew(table, column, old, new, before, labels).value()
    if old != new:
        return [ChangeType(column.name, new, value)]
    return [] if value is None else [Respell(column.name, value)]


class _Anew:
    """One column whose declaration changes. Values are SQL with `{0}` for the column."""

    def __init__(self, table: str, column: DeclaredColumn, old: str, new: str, before: str | None, labels: str) -> None:
        self.table = table
        self.column = column
        self.old, self.new = old, new
        self.labels_are = labels
        self.before = before
        self.now = type_meaning(column, _TYPES)
        self.was: TypeMeaning | None = None
        if before is not None:
            with suppress(ValueError):  # the type is not known here
                self.was = type_meaning(DeclaredColumn(column.name, before), _TYPES)
        # SET is an unsigned 64-bit number
        self.pair = tuple("integer" if one == "decimal(20,0)" else kind(one) for one in (old, new))

    def value(self) -> str | None:
        """SQL for the new value; None if a cast between the types is enough."""
        name = self.now.name
        if self.now.facts.labels:
            return self._to_labels()
        if self.was is not None and self.was.facts.labels:
            return self._from_labels(self.was)
        if name == "bit" or (self.was is not None and self.was.name == "bit"):
            # a BIT is bytes without leading zeros; the database converts it to a number, or to all of its bytes
            return None if self.was is not None and self.was.name == name else self._refused()
        if self.pair[0] == "binary" and self.was is None:
            raise self._untold()  # they may have been bits
        if self.pair[1] == "string":
            return self._to_string()
        if self.pair[1] == "binary":
            return self._to_bytes()
        if self.pair[1] == "integer":
            if self.pair[0] == "string" and self.labels_are == "label" and self.was is None:
                raise self._untold()  # labels: numbers may have become label numbers
            if name == "year" and not (self.was is not None and self.was.name == "year"):
                return self._guarded(f"{self._plain()} between 1901 and 2155", self._plain())
            return None
        if self.pair[1] == "float" and self.now.scale is not None:
            plain = self._plain()
            return self._guarded(f"{plain} = round({plain}, {self.now.scale})", plain)
        if self.pair[1] in ("timestamp", "timestamp_ntz"):
            return self._to_moment()
        if self.pair == ("string", "date"):
            return self._guarded(f"{{0}} rlike '{_doubled(_DAY)}'", self._plain())
        if self.pair == ("timestamp_ntz", "date"):
            plain = self._plain()
            return self._guarded(f"cast({{0}} + make_dt_interval(0, 0, 0, 0.5) as date) = {plain}", plain)
        return None

    # ---- labels

    def _to_labels(self) -> str | None:
        """Conversion to labels, as numbers or as texts."""
        labels, several = self._labels(self.now, self.column.type), self.now.facts.labels == "several"
        if self.pair[0] == "string":
            if self.pair[1] == "string":
                return self._labels_kept(labels, several)
            return self._numbers_of(labels, several)
        if self.pair != ("integer", "integer"):
            raise self._untold()
        if self.was is None:
            raise self._untold()
        if not self.was.facts.labels:
            if self.was.name == "year":
                raise self._untold()
            least, most = (0, 2 ** len(labels) - 1) if several else (1, len(labels))
            return self._guarded(f"{{0}} between {least} and {most}", "{0}")
        if self.was.facts.labels != self.now.facts.labels:
            raise self._untold()
        known = self._labels(self.was, self.before)
        if labels[: len(known)] == known:
            return None
        if several:
            bits = [
                f"if({_BITS} & {_bit(at)} = 0L, 0L, {_bit(labels.index(one)) if one in labels else self._error()})"
                for at, one in enumerate(known)
            ]
            return f"if({{0}} is null, null, {' | '.join(bits) or '0L'})"
        cases = [f"when {at} then {labels.index(one) + 1}" for at, one in enumerate(known, 1) if one in labels]
        return f"case {{0}} when 0 then 0 {' '.join(cases)} else if({{0}} is null, null, {self._error()}) end"

    def _labels_kept(self, labels: Sequence[str], several: bool) -> str:
        """Texts that are labels, each in the form in which it is declared."""
        every = f"array({', '.join(_text(one) for one in labels)})"
        if not several:
            return self._guarded(f"{{0}} = '' or array_contains({every}, {{0}})", "{0}")
        there = "tidewire_label -> array_contains(split({0}, ','), tidewire_label)"
        chosen = f"array_join(filter({every}, {there}), ',')"
        whole = f"size(split({{0}}, ',')) = size(split({chosen}, ','))"
        return self._guarded(f"{{0}} = '' or ({chosen} <> '' and {whole})", chosen)

    def _numbers_of(self, labels: Sequence[str], several: bool) -> str:
        """The numbers of labels that are texts."""
        if not several:
            cases = [f"when {_text(one)} then {at}" for at, one in enumerate(labels, 1)]
            return f"case {{0}} {' '.join(cases)} else if({{0}} is null, null, {self._error()}) end"
        every = f"array({', '.join(_text(one) for one in labels)})"
        known = f"forall(split({{0}}, ','), tidewire_label -> array_contains({every}, tidewire_label))"
        bits = [f"if(array_contains(split({{0}}, ','), {_text(one)}), {_bit(at)}, 0L)" for at, one in enumerate(labels)]
        return self._guarded(f"{{0}} = '' or {known}", f"if({{0}} is null, null, {' | '.join(bits)})")

    def _from_labels(self, was: TypeMeaning) -> str | None:
        """Conversion from labels to another type."""
        several = was.facts.labels == "several"
        if self.pair[0] == "integer" and self.pair[1] in _NUMBERS:
            return None  # a label's number stays the same as a number
        if self.pair[0] == "string" and self.pair[1] in _NUMBERS and self.now.name != "year":
            return f"cast({self._numbers_of(self._labels(was, self.before), several)} as {self.new})"
        if self.pair[1] != "string" or not self._is_text():
            return self._to_bytes() if self.pair == ("string", "binary") else self._refused()
        if self.pair[0] == "string":
            return None
        if self.pair[0] != "integer":
            return self._refused()
        labels = self._labels(was, self.before)
        if several:
            parts = [f"if({_BITS} & {_bit(at)} = 0L, null, {_text(one)})" for at, one in enumerate(labels)]
            known = f"shiftright({_BITS}, {len(labels)}) = 0L" if len(labels) < 64 else "true"
            return self._guarded(known, f"if({{0}} is null, null, concat_ws(',', {', '.join(parts)}))")
        cases = [f"when {at} then {_text(one)}" for at, one in enumerate(labels, 1)]
        return f"case {{0}} when 0 then '' {' '.join(cases)} else if({{0}} is null, null, {self._error()}) end"

    def _labels(self, meaning: TypeMeaning, declared: str | None) -> tuple[str, ...]:
        found = meaning.declared.members or labels_of(declared)
        if not found or (meaning.facts.labels == "several" and len(found) > _MOST_BITS):
            raise self._untold()
        return found

    # ---- texts

    def _is_text(self) -> bool:
        """Whether it is declared as a text type, not as a type that is merely read as text."""
        facts = self.now.facts
        return self.now.storage == "text" and not (
            facts.fractions or self.now.precision or self.now.name in ("json", "vector")
        )

    def _to_string(self) -> str | None:
        name = self.now.name
        if name in ("json", "vector"):
            if self.was is not None and self.was.name == name:
                return None
            return self._refused()  # the database formats them differently
        if self.now.precision:
            return self._long_decimal()
        if self.now.facts.fractions:
            return self._clock()
        spaces = "rtrim(' ', {0})" if name == "char" else None
        if self.pair[0] == "string":
            return spaces
        if self.pair[0] in ("integer", "decimal"):
            if self.was is None:
                raise self._untold()
            if self.was.declared.zerofill:
                return self._refused()
            return "lpad(cast({0} as string), 4, '0')" if self.was.name == "year" else None
        if self.pair[0] == "binary":
            plain = self._plain()
            text = self._guarded(f"octet_length({{0}}) = char_length({plain})", plain)
            return spaces.format(text) if spaces else text
        return None

    def _to_bytes(self) -> str | None:
        """Conversion to bytes; a BINARY is padded to its declared length. Characters beyond ASCII depend on the
        character set.
        """
        plain = "{0}"
        if self.pair[0] == "string":
            plain = self._guarded("octet_length({0}) = char_length({0})", "cast({0} as binary)")
        elif self.pair[0] != "binary":
            return self._refused()
        if self.now.name != "char":
            return None if plain == "{0}" else plain
        length = self.now.declared.length if self.now.declared.length is not None else self.now.facts.length or 1
        return self._guarded(f"octet_length({{0}}) <= {length}", f"rpad({plain}, {length}, X'00')")

    def _long_decimal(self) -> str | None:
        """Conversion to decimals with more digits than Spark's, which are texts with all digits of the scale."""
        scale = self.now.scale or 0
        if self.pair[0] == "float":
            return self._refused()
        digits = decimal(self.old)
        if self.pair[0] != "string":
            behind = digits[1] if digits else 0
            if behind <= scale:
                point = "." if not behind and scale else ""
                return f"concat(cast({{0}} as string), '{point}{'0' * (scale - behind)}')"
        exact = f"cast(cast({{0}} as decimal({MOST_DIGITS},{min(scale, MOST_DIGITS)})) as string)"
        if self.pair[0] != "string":
            return exact
        same = "^-?[0-9]+" + (_doubled(f"[.][0-9]{{{scale}}}$") if scale else "$")
        return f"if({{0}} rlike '{same}', {{0}}, {exact})"

    def _clock(self) -> str:
        """Conversion to TIME, which is a text, with its fractional digits; a value that would be rounded is an
        error.
        """
        if self.pair[0] != "string":
            raise self._untold()
        digits = self.now.scale or 0
        fraction = "split_part({0}, '.', 2)"
        kept = "split_part({0}, '.', 1)"
        if digits:
            kept = f"concat({kept}, '.', rpad(substring({fraction}, 1, {digits}), {digits}, '0'))"
        well = f"{{0}} rlike '{_doubled(_CLOCK)}' and rtrim('0', substring({fraction}, {digits + 1})) = ''"
        return self._guarded(well, kept)

    # ---- times

    def _to_moment(self) -> str | None:
        """Conversion to DATETIME or TIMESTAMP, rounded to the fractional digits."""
        digits = self.now.scale or 0
        seconds = "extract(second from {0})"
        if self.pair[0] == self.pair[1]:
            return None if digits == 6 else f"{{0}} + make_dt_interval(0, 0, 0, round({seconds}, {digits}) - {seconds})"
        if self.pair[0] != "string":
            return None
        if self.pair[1] == "timestamp":
            return self._refused()
        exact = f"rtrim('0', substring(split_part({{0}}, '.', 2), {digits + 1})) = ''"
        return self._guarded(f"{{0}} rlike '{_doubled(_MOMENT)}' and {exact}", self._plain())

    # ---- what is not told

    def _plain(self) -> str:
        """Conversion by the types alone."""
        if self.old == self.new:
            return "{0}"
        return converted(self.table, self.column.name, "{0}", self.old, self.new)

    def _guarded(self, known: str, value: str) -> str:
        """The value if the condition `known` holds; otherwise an error."""
        return f"if({{0}} is null or ({known}), {value}, {self._error()})"

    def _error(self) -> str:
        """SQL that raises an error with the first letters of the value."""
        text = (
            f"table {self.table}: what its column {shown(self.column.name)} became as {shown(self.column.type)} is not"
            " known for the value "
        )
        ending = ": change its values by hand, or build the table anew with tidewire sync reset FILE TABLE"
        value = "substring(cast({0} as string), 1, 40)" if self.pair[0] != "binary" else "hex(substring({0}, 1, 20))"
        return f"raise_error(concat({_text(text)}, {value}, {_text(ending)}))"

    def _untold(self) -> TargetError:
        was = "and what it was before is not known" if self.was is None else f"and was {shown(self.before or '')}"
        return TargetError(
            f"table {self.table}: its column {shown(self.column.name)} is {shown(self.column.type)} now, {was}: no"
            " message says what its values became; change them by hand, or build it anew with tidewire sync reset FILE"
            f" {self.table}"
        )

    def _refused(self) -> str | None:
        raise self._untold()


def _text(value: str) -> str:
    """A text as SQL, with `{0}` in it escaped."""
    return _doubled(literal(value))


def _doubled(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _bit(at: int) -> str:
    """One bit of a 64-bit number."""
    return f"shiftleft(1L, {at})"
