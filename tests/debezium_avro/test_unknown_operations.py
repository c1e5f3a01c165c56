"""Errors for records with an unknown operation."""

from __future__ import annotations

import pytest

from debezium_avro.envelopes import ENVELOPE, known, record
from debezium_avro.recordings import framed
from tidewire import debezium_avro
from tidewire.runtime.errors import DecodeError

pytestmark = pytest.mark.codec


@pytest.mark.parametrize(("text", "shown"), [("x", "x"), ("delete", "delete"), ("", ""), ("é\x00", "é")])
def test_the_text_is_shown_and_all_that_is_known(text: str, shown: str) -> None:
    value = framed(1, ENVELOPE, record(op=text))
    with pytest.raises(DecodeError, match="is none of c, u, d, r, m, t") as caught:
        debezium_avro.decode(value, schemas=known(ENVELOPE))
    assert shown in caught.value.detail
    assert (caught.value.field, caught.value.code) == ("op", "unnamed")
