"""A short run of the fuzzer for Simple's records: rows, and hostile table descriptions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from fuzz.engine import BATCH
from fuzz.finding import Finding
from fuzz.records_engine import OPTIONS, RecordsEngine, described, messages
from fuzz.simple_engine import as_described, store
from json_twin import MalformedError

import tidewire.runtime
from simple.avro_twin import write
from simple.record_twin import read
from tidewire import simple
from tidewire.runtime.batch import EventColumns
from tidewire.simple.record_decoder import Decoder

pytestmark = pytest.mark.codec


def test_some_batches() -> None:
    """Truncations, mutations, those that are compared with the twin, and those that go all other ways."""
    engine = RecordsEngine(messages(), 20260102)
    batches = [0, 8, 16, *range(24, 88 if tidewire.runtime.compiled else 42)]
    for number in batches:
        engine.run(number)
    assert engine.tally.inputs == len(batches) * BATCH
    assert {"undescribed_table", "contradiction", "kind", "enum", "value", "overflow"} <= engine.tally.codes.keys()
    assert engine.tally.accepted > engine.tally.inputs // 20


class Broken:
    """A decoder with a defect of its own."""

    def __init__(self, spoil: Callable[[bytes], bytes]) -> None:
        self.spoil = spoil

    def decode(self, values: Sequence[bytes]) -> EventColumns:
        decoder = Decoder(store=store(described()))
        return decoder.decode([self.spoil(value) for value in values])


@pytest.mark.parametrize(
    ("spoil", "what"),
    [
        (lambda value: value[:-1] if value[-2:] == b"\x02\0" else value, "the twin says|is not what it was"),
        (lambda value: value.replace(b"\x06UTC", b"\x06utc"), "the twin says|is not what it was"),
    ],
    ids=["a byte less", "another location"],
)
def test_defects_are_found(spoil: Callable[[bytes], bytes], what: str) -> None:
    engine = RecordsEngine(messages(), 20260102)
    engine.decoder = Broken(spoil)
    engine.begin = lambda number: None  # type: ignore[method-assign]

    def tried() -> None:
        for number in range(32, 48):
            engine.run(number)

    with pytest.raises(Finding, match=what) as caught:
        tried()
    assert caught.value.inputs


@pytest.mark.parametrize("size", [9, 2000])
def test_a_default_of_more_bits_than_a_bit_has_is_refused(size: int) -> None:
    """Whose number has more digits than Python prints."""
    column = {
        "name": "b",
        "dataType": {
            "mysqlType": "bit", "charset": "binary", "collate": "binary", "length": 1, "decimal": None,
            "elements": None, "unsigned": True, "zerofill": False,
        },
        "nullable": True,
        "default": "?" * size,
    }  # fmt: skip
    table = {"database": "s", "table": "t", "tableID": 1, "version": 7, "columns": [column], "indexes": []}
    value = write("BOOTSTRAP", "Bootstrap", version=1, buildTs=6, tableSchema=table)
    (error,) = simple.decode_batch([value], options=OPTIONS).errors
    assert "tableSchema" in error.field
    assert "bits are a number from 0 to 18446744073709551615" in str(error)
    with pytest.raises((ValueError, MalformedError)):
        as_described(read(value, {}).after)  # type: ignore[arg-type]
