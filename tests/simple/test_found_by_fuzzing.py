"""Regressions found by the fuzzer: texts where they say nothing, and defaults of too many bits."""

from __future__ import annotations

import pytest
from fuzz.simple_engine import as_described
from json_twin import MalformedError

from simple.avro_twin import write
from simple.record_twin import read as read_record
from simple.twin import read
from tidewire import simple

pytestmark = pytest.mark.codec


@pytest.mark.parametrize("kind", ["BOOTSTRAP", "CREATE", "WATERMARK"])
@pytest.mark.parametrize(("member", "refused"), [("database", True), ("table", True), ("sql", True), ("x", False)])
def test_names_are_texts_also_where_they_say_nothing(kind: str, member: str, refused: bool) -> None:
    """Half a surrogate pair is no text. The twin and the decoder agree, also about members that are not looked at."""
    message = f'{{"version":1,"type":"{kind}","commitTs":1,"buildTs":1,"{member}":"\\ud800"}}'.encode()
    assert bool(simple.decode_batch([message]).errors) == refused
    if refused:
        with pytest.raises(MalformedError):
            read(message, {})
    else:
        assert read(message, {}).kind in ("bootstrap", "ddl", "watermark")


@pytest.mark.parametrize("member", ["tableSchema", "preTableSchema", "x"])
def test_what_nobody_reads_is_text(member: str) -> None:
    message = b'{"version":1,"type":"WATERMARK","commitTs":1,"buildTs":1,"%b":{"x":"?"}}' % member.encode()
    assert not simple.decode_batch([message]).errors
    (error,) = simple.decode_batch([message.replace(b"?", b"\xff")]).errors
    assert error.code == "utf8"


def test_a_bootstrap_says_nothing_of_the_table_before() -> None:
    """A `preTableSchema` that is none is passed, by the twin and by the decoder."""
    message = b'{"version":1,"type":"%b","commitTs":1,"buildTs":1,"preTableSchema":{"x":1}}'
    assert read(message % b"BOOTSTRAP", {}).before is None
    assert not simple.decode_batch([message % b"BOOTSTRAP"]).errors
    with pytest.raises(MalformedError):
        read(message % b"CREATE", {})
    assert simple.decode_batch([message % b"CREATE"]).errors


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
    (error,) = simple.decode_batch([value], options=simple.Options(encoding_format="avro")).errors
    assert "tableSchema" in error.field
    assert "bits are a number from 0 to 18446744073709551615" in str(error)
    with pytest.raises((ValueError, MalformedError)):
        as_described(read_record(value, {}).after)  # type: ignore[arg-type]
