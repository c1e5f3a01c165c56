"""Keys of Debezium are compressed like values."""

from __future__ import annotations

import pytest
import recorded

import tidewire
from debezium.recordings import STREAMS
from tidewire import debezium
from tidewire.events import RowChange, Watermark

LZ4 = [stream for stream in STREAMS if recorded.option_set(stream) == "lz4"]


def test_recorded_messages_are_read() -> None:
    assert LZ4
    options = debezium.Options(large_message_handle_compression="lz4")
    for stream in LZ4:
        messages = list(recorded.messages(stream))
        events = debezium.decode_batch([one.value for one in messages], [one.key for one in messages], options)
        assert events.errors == []
        assert len(events) == len(messages)
        assert tidewire.detect([one.value for one in messages], [one.key for one in messages]).compression == "lz4"
        rows = [one for one in events if isinstance(one, RowChange)]
        assert not rows or any(column.flags & 2 for row in rows for column in row.columns)


@pytest.mark.parametrize("name", ["lz4", "snappy"])
def test_keys_are_written_compressed(name: str) -> None:
    options = debezium.Options(enable_tidb_extension=True, large_message_handle_compression=name)
    (made,) = debezium.encode([Watermark(470607536966860800)], options)
    assert made.key is not None
    assert not made.key.startswith(b"{")
    (event,) = debezium.decode(made.value, made.key, options)
    assert isinstance(event, Watermark)
    assert event.commit_ts == 470607536966860800
    broken = debezium.decode_batch([made.value], [made.key[:4]], options)
    assert [(error.part, error.code) for error in broken.errors] == [("key", "compressed")]
