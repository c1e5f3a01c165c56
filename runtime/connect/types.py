"""How columns are said in Kafka Connect's types, and how their values are written then: printed from a spec."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, TypeVar

from tidewire.runtime.json.codec import ColumnFacts
from tidewire.runtime.wire.value_codec import ValueCodec

CodecT = TypeVar("CodecT", bound=ValueCodec)

NOTHING: Mapping[str, Any] = MappingProxyType({})


def listed(labels: Sequence[str]) -> str:
    """Labels as TiCDC lists them, after which some cannot be told apart: EscapeEnumAndSetOptions, pingcap/tiflow
    pkg/sink/codec/common/helper.go.
    """
    return ",".join([one.replace(",", "\\,").replace("\\'", "'").replace("''", "'") for one in labels])


class SchemaType(NamedTuple):
    """A type of Kafka Connect, as a schema says it of a column."""

    id: str
    type: str
    stands_for: str
    """The declared type of a column of which nothing else is known."""
    name: str | None = None
    """Kafka Connect's name for what values stand for; the types without one are the plain ones."""
    logical: str | None = None
    """The logical type of Avro that says the same."""
    parameters: Mapping[str, str] = NOTHING
    """What a schema always says beside the type, by which a reader knows it."""
    precision: int | None = None
    """The digits of a decimal by which a reader knows it, none of them behind the point, where nothing else is said.

    None: any.
    """
    versioned: bool = True
    """Whether a schema says that the name is of version 1."""
    length: str | None = None
    """The parameter that says the length of the column; so do those that follow."""
    scale: str | None = None
    labels: str | None = None
    escapes: bool = False
    """Whether a comma in a label has a backslash before it, and quotes lose what stands before them."""
    default: str | None = None
    """As what the default of a column is written: a key of `defaults.WRITERS`, or `defaults.LEFT_OUT`; None: as a text.
    """

    def listed(self, labels: Sequence[str]) -> str:
        """Labels as a schema lists them."""
        return listed(labels) if self.escapes else ",".join(labels)

    @property
    def called(self) -> str:
        """What errors call it."""
        return self.name or self.logical or self.type


class ColumnMapping(NamedTuple, Generic[CodecT]):
    """Which columns are said in a schema type, and how their values are written."""

    types: tuple[int, ...]
    """The types of the columns."""
    schema: str
    """The id of the schema type."""
    codec: CodecT
    flagged: int = 0
    """The flag that the columns have; 0: any."""
    unflagged: int = 0
    """The flag that they do not have; 0: any."""
    length: tuple[int, int] | None = None
    """The lengths of the columns that are written so; None: any. So it is with the digits of parts of a second."""
    fraction: tuple[int, int] | None = None
    unscaled: bool = False
    """Whether it is for columns without digits behind the point that are declared."""
    default: str | None = None
    """As `SchemaType.default`, where such columns differ from others of the type."""
    reads: bool = False
    """Whether such values are read and never written."""
    bare: bool = False
    """Whether a reader takes it before others where no schema says the type."""
    mode: tuple[str, str] | None = None
    """The option, and its choice, with which a reader takes it before others."""
    when: tuple[str, str] | None = None
    """The option, and its choice, with which a writer takes it."""
    producers: tuple[str, ...] = ()
    """The producers who write it; none: all."""

    def takes(self, type: int, flags: int) -> bool:
        """Whether it is for columns with this type and these flags."""
        return type in self.types and flags & self.flagged == self.flagged and not flags & self.unflagged

    def fits(self, facts: ColumnFacts) -> bool:
        """Whether a column of which this is known is written so; what is not known counts as least."""
        if self.length is not None and not self.length[0] <= (facts.length or 1) <= self.length[1]:
            return False
        if self.fraction is not None and not self.fraction[0] <= (facts.fraction or 0) <= self.fraction[1]:
            return False
        return not (self.unscaled and facts.scale is not None)


class TidbWord(NamedTuple):
    """The word of a column's field that is TiDB's name of its type."""

    word: str
    when: str | None = None
    """The option with which it is written; None: it always is."""
    plain: tuple[int, ...] = ()
    """The types that it names without what their flags say."""


class SourceWords(NamedTuple):
    """The parameters in which a connector repeats what the source database says of a column."""

    type: str
    length: str
    scale: str
    labels: str
    """The one that lists labels, whatever the schema type."""


class SchemaTypes(Generic[CodecT]):
    """The schema types of a protocol, and the columns that are said in them.

    Attributes:
        types: by id.
        columns: of those that fit the first counts.
        exact: where fields say TiDB's names of types; None: nowhere.
        source: where they say those of the source database; None: nowhere.
    """

    def __init__(
        self,
        types: Sequence[SchemaType],
        columns: Sequence[ColumnMapping[CodecT]],
        exact: TidbWord | None = None,
        source: SourceWords | None = None,
    ) -> None:
        self.types = {one.id: one for one in types}
        self.columns = tuple(columns)
        self.exact = exact
        self.source = source
        self._by_schema = _by_schema(self.columns)
        self._readings: dict[tuple[tuple[str, str], ...], SchemaTypes[CodecT]] = {}
        self._by_words: dict[tuple[str, str | None], list[SchemaType]] = {}
        for one in sorted(types, key=lambda one: not one.parameters and one.precision is None):
            for name in {one.name or one.logical, one.logical or one.name}:
                self._by_words.setdefault((one.type, name), []).append(one)

    # ---- a reader's

    def reading(self, modes: Mapping[str, str]) -> SchemaTypes[CodecT]:
        """The same for a reader with these choices: what these say comes first, and is how a column is written of which
        no schema says it.

        Args:
            modes: the choice of each option that `ColumnMapping.mode` names.
        """
        key = tuple(sorted(modes.items()))
        known = self._readings.get(key)  # each large batch may have a decoder of its own
        if known is not None:
            return known
        chosen = [one.bare or (one.mode is not None and modes.get(one.mode[0]) == one.mode[1]) for one in self.columns]
        first = [one._replace(reads=False) for one, taken in zip(self.columns, chosen, strict=True) if taken]
        found = copy(self)
        found.columns = (*first, *(one for one, taken in zip(self.columns, chosen, strict=True) if not taken))
        found._by_schema = _by_schema(found.columns)
        found._readings = {}
        return self._readings.setdefault(key, found)

    def type_of(
        self,
        type: str,
        names: Sequence[str],
        parameters: Mapping[str, object],
        digits: tuple[int, int] | None = None,
    ) -> SchemaType | None:
        """The type that a schema says; None when it is none of these.

        Args:
            type: of Kafka Connect.
            names: what says what values stand for, the first before the second; none: nothing does.
            parameters: what the schema says besides.
            digits: of a decimal, all and those behind the point, where nothing else is said of it.
        """
        for name in names or (None,):
            for one in self._by_words.get((type, name), ()):
                for key, text in one.parameters.items():
                    if parameters.get(key) != text:
                        break
                else:
                    if one.precision is None or digits == (one.precision, 0):
                        return one
        return None

    def read_by(self, schema: SchemaType, type: int, flags: int) -> ColumnMapping[CodecT] | None:
        """How values of a column are read that is said in a schema type; None when no such column is."""
        for one in self._by_schema.get(schema.id, ()):
            if one.takes(type, flags):
                return one
        return None

    def modes(self, type: int, flags: int, schema: SchemaType | None) -> tuple[str, ...]:
        """The options that say how a reader finds the values of a column.

        Args:
            type: of the column.
            flags: its own.
            schema: what a schema says; None: none says it.
        """
        found = [one for one in self.columns if one.takes(type, flags) and (schema is None or one.schema == schema.id)]
        if len({id(one.codec) for one in found}) < 2:
            return ()
        return tuple(dict.fromkeys(one.mode[0] for one in found if one.mode is not None))

    # ---- a writer's

    def has_values(self, type: int, flags: int) -> bool:
        """Whether columns of this type with these flags are written, whatever else is known of them."""
        return any(one.takes(type, flags) for one in self.columns if not one.reads)

    def written(
        self, type: int, flags: int, facts: ColumnFacts, producer: str = "", options: Mapping[str, object] = NOTHING
    ) -> ColumnMapping[CodecT] | None:
        """How a column is written; None when it is not.

        Args:
            type: of the column.
            flags: its own.
            facts: what else is known of it.
            producer: who writes.
            options: of the protocol, by name.
        """
        for one in self.columns:
            if (
                not one.reads
                and one.takes(type, flags)
                and one.fits(facts)
                and (not one.producers or producer in one.producers)
                and (one.when is None or options[one.when[0]] == one.when[1])
            ):
                return one
        return None

    def default(self, mapping: ColumnMapping[CodecT]) -> str | None:
        """As what the default of a column is written: `SchemaType.default`."""
        return self.types[mapping.schema].default if mapping.default is None else mapping.default

    def parameters(self, mapping: ColumnMapping[CodecT], facts: ColumnFacts) -> dict[str, str]:
        """What a schema says of a column beside its type and name, but for the digits of decimals.

        Args:
            mapping: how the column is written.
            facts: what is known of it.
        """
        type = self.types[mapping.schema]
        found = dict(type.parameters)
        if type.labels is not None:
            found[type.labels] = type.listed(facts.labels)
        if type.length is not None and type.scale is None:
            found[type.length] = str(facts.length or 1)
        return found


def _by_schema(columns: Sequence[ColumnMapping[CodecT]]) -> dict[str, list[ColumnMapping[CodecT]]]:
    """The mappings by the id of their schema type, in their order."""
    found: dict[str, list[ColumnMapping[CodecT]]] = {}
    for one in columns:
        found.setdefault(one.schema, []).append(one)
    return found
