"""Transcoding between Debezium and the other protocols: losses, and refused rows."""

from __future__ import annotations

from typing import Any

import pytest

import tidewire
from tidewire import debezium
from tidewire.events import Ddl, Events

pytestmark = pytest.mark.codec

TS = 470607536966860800


@pytest.mark.parametrize("protocol", ["canal-json", "simple"])
def test_the_class_of_a_statement_is_concluded(protocol: str) -> None:
    """Debezium says neither class nor type."""
    queries = ["alter table t add column c int", "flashback something else"]
    values = [one.value for one in debezium.encode([Ddl(TS, "s", "t", None, query) for query in queries])]
    batch, report = tidewire.transcode(values, "debezium", protocol, target_options=None)
    assert report.derived == {("ddl_class", "ALTER"): 1}
    assert [(one.event, one.reason) for one in report.refused] == [(1, "ddl needs ddl_type or ddl_class")]
    module: Any = tidewire.protocols()[protocol].load()
    (event,) = module.decode_batch(batch.column("value"))
    assert (event.kind, event.ddl_class, event.query) == ("ddl", "ALTER", queries[0])
    _, report = tidewire.transcode(Events.of([Ddl(TS, "s", "t", 5, queries[0])]).columns, "debezium", protocol)
    assert not report.derived
