"""Maps columns to Kafka Connect schema types and codecs; generated from a spec."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, TypeVar

from tidewire.runtime.wire.value_codec import ColumnFacts, ValueCodec

CodecT = TypeVar("CodecT", bound=ValueCodec)

NOTHING: Mapping[str, Any] = MappingProxyType({})


def listed(labels: Sequence[str]) -> str:
    """Labels as TiCDC lists them; different labels can give the same list: EscapeEnumAndSetOptions, pingcap/tiflow
    pkg/sink/codec/common/helper.go.
    """
    return ",".join([one.replace(",", "\\,").replace("\\'", "'").replace("''", "'") for one in labels])


class SchemaType(NamedTuple):
    """A Kafka Connect type of columns."""

    id: str
    type: str
    stands_for: str
    """The declared type of a column if neither schema nor description states one."""
    name: str | None = None
    """Kafka Connect's name of the logical type; None: a plain type."""
    logical: str | None = None
    """Avro's name of the same logical type."""
    parameters: Mapping[str, str] = NOTHING
    """Constant parameters in the schema, by which readers recognize the type."""
    precision: int | None = None
    """The precision by which readers recognize a decimal of scale 0 without other attributes. None: any."""
    versioned: bool = True
    """Whether the schema states version 1 of the name."""
    length: str | None = None
    """The parameter of the schema with the column's length. `scale` and `labels` are names of parameters, too."""
    scale: str | None = None
    labels: str | None = None
    escapes: bool = False
    """Whether commas in labels are escaped with a backslash, and quotes lose their escapes."""
    default: str | None = None
    """Form of the default in a schema: a key of `defaults.WRITERS`, or `defaults.LEFT_OUT`; None: text."""

    def listed(self, labels: Sequence[str]) -> str:
        """The labels as a schema lists them."""
        return listed(labels) if self.escapes else ",".join(labels)

    @property
    def called(self) -> str:
        """Name of the type in errors."""
        return self.name or self.logical or self.type


class ColumnMapping(NamedTuple, Generic[CodecT]):
    """Maps columns to a schema type, and to the codec of their values."""

    types: tuple[int, ...]
    """Type codes of the columns."""
    schema: str
    """Id of the schema type."""
    codec: CodecT
    flagged: int = 0
    """Flag that the columns have; 0: any."""
    unflagged: int = 0
    """Flag that excludes a column; 0: none."""
    length: tuple[int, int] | None = None
    """Range of the columns' lengths; None: any. `fraction` is likewise the range of fractional digits."""
    fraction: tuple[int, int] | None = None
    unscaled: bool = False
    """Whether it is only for columns without a declared scale."""
    default: str | None = None
    """As `SchemaType.default`, if different for these columns."""
    reads: bool = False
    """Whether it is read only."""
    bare: bool = False
    """Whether readers prefer it if no schema states the type."""
    mode: tuple[str, str] | None = None
    """Option and value with which readers prefer it."""
    when: tuple[str, str] | None = None
    """Option and value with which writers use it; None: always."""
    producers: tuple[str, ...] = ()
    """Producers that write it; empty: all."""

    def takes(self, type: int, flags: int) -> bool:
        """Whether it is for columns with this type and these flags."""
        return type in self.types and flags & self.flagged == self.flagged and not flags & self.unflagged

    def fits(self, facts: ColumnFacts) -> bool:
        """Whether it is for columns with these facts; unknown lengths count as 1, unknown fractional digits as 0."""
        if self.length is not None and not self.length[0] <= (facts.length or 1) <= self.length[1]:
            return False
        if self.fraction is not None and not self.fraction[0] <= (facts.fraction or 0) <= self.fraction[1]:
            return False
        return not (self.unscaled and facts.scale is not None)


class TidbWord(NamedTuple):
    """The schema attribute with TiDB's name of a column's type."""

    word: str
    when: str | None = None
    """The option with which it is written; None: always."""
    plain: tuple[int, ...] = ()
    """Type codes whose names ignore the column's flags."""


class SourceWords(NamedTuple):
    """Names of the parameters in which a connector repeats the source database's column type."""

    type: str
    length: str
    scale: str
    labels: str
    """Name of the parameter that lists labels, for all schema types."""


class SchemaTypes(Generic[CodecT]):
    """The schema types of a protocol, and the mappings of columns to them.

    Attributes:
        types: schema types by id.
        columns: mappings; the first that fits is used.
        exact: attribute with TiDB's type names; None: there is none.
        source: parameters with the source database's types; None: there are none.
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

    # ---- reading

    def reading(self, modes: Mapping[str, str]) -> SchemaTypes[CodecT]:
        """The same for a reader with these option values: the mappings that they select come first, and apply to
        columns without a schema.

        Args:
            modes: value of each option named in `ColumnMapping.mode`.
        """
        key = tuple(sorted(modes.items()))
        known = self._readings.get(key)  # large batches can have several decoders with the same options
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
        """The schema type of a field; None: there is no such type.

        Args:
            type: Kafka Connect's type.
            names: names of the logical type, in order of preference; empty: none.
            digits: precision and scale of a decimal without other attributes.
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
        """The mapping by which values of a column in a schema type are read; None: there is none."""
        for one in self._by_schema.get(schema.id, ()):
            if one.takes(type, flags):
                return one
        return None

    def modes(self, type: int, flags: int, schema: SchemaType | None) -> tuple[str, ...]:
        """The options that select how a column's values are read.

        Args:
            type: type code of the column.
            schema: schema type; None: there is no schema.
        """
        found = [one for one in self.columns if one.takes(type, flags) and (schema is None or one.schema == schema.id)]
        if len({id(one.codec) for one in found}) < 2:
            return ()
        return tuple(dict.fromkeys(one.mode[0] for one in found if one.mode is not None))

    # ---- writing

    def has_values(self, type: int, flags: int) -> bool:
        """Whether columns of this type with these flags can be written."""
        return any(one.takes(type, flags) for one in self.columns if not one.reads)

    def written(
        self, type: int, flags: int, facts: ColumnFacts, producer: str = "", options: Mapping[str, object] = NOTHING
    ) -> ColumnMapping[CodecT] | None:
        """The mapping by which a column is written; None: it cannot be written.

        Args:
            type: type code of the column.
            producer: producer whose messages are imitated.
            options: options of the protocol by name.
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
        """Form of the column's default: `SchemaType.default`."""
        return self.types[mapping.schema].default if mapping.default is None else mapping.default

    def parameters(self, mapping: ColumnMapping[CodecT], facts: ColumnFacts) -> dict[str, str]:
        """Parameters of a column in a schema, except those of decimals.

        Args:
            mapping: how the column is written.
        """
        type = self.types[mapping.schema]
        found = dict(type.parameters)
        if type.labels is not None:
            found[type.labels] = type.listed(facts.labels)
        if type.length is not None and type.scale is None:
            found[type.length] = str(facts.length or 1)
        return found


def _by_schema(columns: Sequence[ColumnMapping[CodecT]]) -> dict[str, list[ColumnMapping[CodecT]]]:
    """The mappings by the id of their schema type, in order."""
    found: dict[str, list[ColumnMapping[CodecT]]] = {}
    for one in columns:
        found.setdefault(one.schema, []).append(one)
    return found
