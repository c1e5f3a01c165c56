"""Tests of the test broker itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from demo.broker import Broker, Record
from demo.service import StartError


def test_one_that_does_not_start_shows_the_end_of_its_log(a_broker: Broker, tmp_path: Path) -> None:
    broker = Broker(tmp_path / "second", a_broker.jars, a_broker.java)
    settings = tmp_path / "second" / "server.properties"
    settings.write_text(settings.read_text().replace(str(broker.port), str(a_broker.port)))
    with pytest.raises(StartError, match=r"Kafka [\d.]+ ended with code 1 before it answered") as caught:
        broker.start()
    assert "Address already in use" in str(caught.value)
    assert a_broker.answers()


def test_messages_that_are_not_taken_are_an_error(a_broker: Broker) -> None:
    a_broker.create("small", max_message_bytes=1000)
    with pytest.raises(ConnectionError, match=r"^1 of the messages were not taken: .*size too large"):
        a_broker.send("small", [Record(0, None, bytes(10_000))])
