"""Messages that describe tables are refused if they exceed the topic's limit, as in TiCDC."""

from __future__ import annotations

import pytest

from tidewire import simple
from tidewire.events import Bootstrap, Ddl, Event, Watermark
from tidewire.runtime.errors import EncodeError
from tidewire.tables import ColumnDescription, TableDescription

pytestmark = pytest.mark.codec

TABLE = TableDescription("s", "t", [ColumnDescription(f"c{k}", "int") for k in range(20)])
LONG: dict[str, Event] = {
    "bootstrap": Bootstrap(0, "s", "t", table_after=TABLE, sent_ms=1),
    "statement": Ddl(5, "s", "t", 3, "create table t (...)", table_after=TABLE, sent_ms=1),
}


@pytest.mark.parametrize("name", LONG)
@pytest.mark.parametrize("way", ["none", "handle-key-only"])
def test_what_is_too_long_is_refused(name: str, way: str) -> None:
    (whole,) = simple.encode([LONG[name]])
    assert whole.value is not None
    fits = simple.Options(max_message_bytes=len(whole.value) + 36, large_message_handle_option=way)
    assert simple.encode([LONG[name]], fits)[0].value == whole.value
    less = simple.Options(max_message_bytes=len(whole.value) + 35, large_message_handle_option=way)
    with pytest.raises(EncodeError) as caught:
        simple.encode([Watermark(4), LONG[name]], less)
    size = len(whole.value) + 36
    assert caught.value.event == 1
    assert str(caught.value).endswith(f"its message takes {size} bytes and may have {size - 1}: allow more bytes")


def test_a_watermark_is_never_too_long() -> None:
    assert len(simple.encode([Watermark(4)], simple.Options(max_message_bytes=1))) == 1
