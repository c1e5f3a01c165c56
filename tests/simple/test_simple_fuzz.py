"""A short run of the fuzzer for Simple: rows, and hostile table descriptions."""

from __future__ import annotations

import pytest
from fuzz.engine import BATCH
from fuzz.simple_engine import SimpleEngine, messages
from json_twin import MalformedError

import tidewire.runtime
from simple.twin import read
from tidewire import simple

pytestmark = pytest.mark.codec


def test_some_batches() -> None:
    """Truncations, mutations, those that are compared with the twin, and those that go all other ways."""
    engine = SimpleEngine(messages(), 20260102)
    batches = [0, 8, 16, *range(36, 100 if tidewire.runtime.compiled else 50)]
    for number in batches:
        engine.run(number)
    assert engine.tally.inputs == len(batches) * BATCH
    assert {"undescribed_table", "contradiction", "kind", "syntax", "value"} <= engine.tally.codes.keys()
    assert engine.tally.accepted > engine.tally.inputs // 20


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
