"""What schema blocks call columns, and how the values of a column are written then: printed from a spec."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from types import MappingProxyType
from typing import NamedTuple

from tidewire.runtime.json.codec import ColumnFacts, JsonCodec

LAST, TWICE = "last", "twice"
"""Where a block has columns of a table that its rows do not have: behind the others, or in their place and behind."""


def listed(labels: Sequence[str]) -> str:
    """Labels as TiCDC lists them, after which some cannot be told apart: EscapeEnumAndSetOptions, pingcap/tiflow
    pkg/sink/codec/common/helper.go.
    """
    return ",".join([one.replace(",", "\\,").replace("\\'", "'").replace("''", "'") for one in labels])


class Form(NamedTuple):
    """What a block says of a column."""

    id: str
    type: str
    name: str | None
    """Kafka Connect's name of it."""
    versioned: bool
    length: str | None
    """The parameter that says the length of the column; so do those that follow."""
    scale: str | None
    labels: str | None
    escapes: bool
    """Whether a comma in a label has a backslash before it, and quotes lose what stands before them."""
    default: str | None
    """As what the default of a column is written: a key of `defaults.WRITERS`; None: as a text."""
    stands_for: str
    """The declared type of a column of which nothing else is known."""

    def listed(self, labels: Sequence[str]) -> str:
        """Labels as a block lists them."""
        return listed(labels) if self.escapes else ",".join(labels)


class ColumnForm(NamedTuple):
    """How the values of columns are written in a form."""

    types: tuple[int, ...]
    """Codes of the types of the columns."""
    form: str
    codec: JsonCodec
    flagged: int
    """The flag that the columns have; 0: any."""
    unflagged: int
    """The flag that they do not have; 0: any."""
    length: tuple[int, int] | None
    """Of the columns that are written so; None: any. So it is with those that follow."""
    fraction: tuple[int, int] | None
    unscaled: bool
    """Whether it is for columns without digits behind the point that are declared."""
    reads: bool
    """Whether values in this form are read and never written."""
    bare: bool = False
    """Whether a reader takes it before others where no block says the form."""
    mode: tuple[str, str] | None = None
    """The option, and its choice, with which a reader takes it before others."""

    def takes(self, type: int, flags: int) -> bool:
        """Whether columns with this type and these flags can have the form."""
        return type in self.types and flags & self.flagged == self.flagged and not flags & self.unflagged


class ConnectTypes:
    """The forms of a protocol."""

    def __init__(
        self,
        forms: Sequence[Form],
        columns: Sequence[ColumnForm],
        exact: str | None = None,
        exact_when: str | None = None,
        exact_plain: tuple[int, ...] = (),
        unsent: Mapping[str, str] = MappingProxyType({}),
        nulls: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """
        Args:
            forms: all of them.
            columns: how values are written, by type and form; of what fits the first counts.
            exact: the word of a column's field that is TiDB's name of its type; None: there is none.
            exact_when: the option with which it is written; None: it always is.
            exact_plain: codes of the types that it names without what their flags say.
            unsent: by producer, where a block has the columns of a table that its rows do not have: `LAST` or `TWICE`.
            nulls: by producer, how NULL in a column with a default is written: `PARSED` of
                `tidewire.runtime.connect.defaults`, or else as the default. NULL of other producers is null.
        """
        self.exact = exact
        self.exact_when = exact_when
        self.exact_plain = exact_plain
        self.unsent = unsent
        self.nulls = nulls
        self.forms = {one.id: one for one in forms}
        self.columns = tuple(columns)
        self._by_words = {(one.type, one.name): one for one in forms}

    def reading(self, modes: Mapping[str, str]) -> ConnectTypes:
        """The same for a reader with these choices: what these say comes first, and is how a column is written of which
        no block says it.

        Args:
            modes: the choice of each option that `ColumnForm.mode` names.
        """
        chosen = [one.bare or (one.mode is not None and modes.get(one.mode[0]) == one.mode[1]) for one in self.columns]
        first = [one._replace(reads=False) for one, taken in zip(self.columns, chosen, strict=True) if taken]
        found = copy(self)
        found.columns = (*first, *(one for one, taken in zip(self.columns, chosen, strict=True) if not taken))
        return found

    def form(self, type: str, name: str | None) -> Form | None:
        """The form with these words of Kafka Connect; None when there is none."""
        return self._by_words.get((type, name))

    def read_by(self, form: str, type: int, flags: int) -> JsonCodec | None:
        """How values of a column are read that are in a form; None when such a column is not written in it."""
        return next((one.codec for one in self.columns if one.form == form and one.takes(type, flags)), None)

    def modes(self, type: int, flags: int, form: str | None) -> tuple[str, ...]:
        """The options that say how a reader finds the values of a column.

        Args:
            type: code of its type.
            flags: its own.
            form: the one that a block says; None: no block says it.
        """
        found = [one for one in self.columns if one.takes(type, flags) and form in (None, one.form)]
        if len({id(one.codec) for one in found}) < 2:
            return ()
        return tuple(dict.fromkeys(one.mode[0] for one in found if one.mode is not None))

    def written(self, type: int, flags: int, facts: ColumnFacts) -> tuple[Form, JsonCodec] | None:
        """The form in which a column is written, and how its values are; None when it has none."""
        for one in self.columns:
            if not one.reads and one.takes(type, flags) and _fits(one, facts):
                return self.forms[one.form], one.codec.for_column(facts)
        return None


def _fits(one: ColumnForm, facts: ColumnFacts) -> bool:
    """Whether a column of which this is known is written so; what is not known counts as least."""
    if one.length is not None and not one.length[0] <= (facts.length or 1) <= one.length[1]:
        return False
    if one.fraction is not None and not one.fraction[0] <= (facts.fraction or 0) <= one.fraction[1]:
        return False
    return not (one.unscaled and facts.scale is not None)
