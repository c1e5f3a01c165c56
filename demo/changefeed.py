"""What TiCDC does with a database's log: messages in partitions of topics, watermarks, and all of it again after a
restart.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

import tidewire
from demo.broker import Broker, Record
from demo.shop import Shop
from tidewire.events import Ddl, Event, Events, RowChange, Watermark

CANAL = {"enable_tidb_extension": True, "content_compatible": True}
"""Options with which messages of Canal-JSON have commit timestamps and declared types."""


class Changefeed:
    """Sends a shop's log to topics.

    Attributes:
        resolved: the greatest watermark that was sent.
        sent: messages.
    """

    def __init__(
        self,
        shop: Shop,
        broker: Broker,
        topic: str,
        partitions: int = 3,
        protocol: str = "canal-json",
        options: Mapping[str, Any] = CANAL,
    ) -> None:
        """
        Args:
            shop: whose log is sent.
            broker: which has the topics.
            topic: its name; with `{table}` in it each table has its own.
            partitions: of each topic.
            protocol: of the messages.
            options: of the protocol's encoder.
        """
        self.shop = shop
        self.broker = broker
        self.topic = topic
        self.partitions = partitions
        self.resolved = 0
        self.sent = 0
        module = tidewire.protocols()[protocol].load()
        self._encoder = module.Encoder(module.Options(**options))
        self._next = 0
        self._watermarks: list[int] = []
        self._hop = 0
        self._topics = sorted({self._topic(one.table or "") for one in shop.log})
        for one in self._topics:
            broker.create(one, partitions)

    def send(self, watermark: bool = True, silent: Sequence[int] = ()) -> None:
        """What has happened since the last time, and a watermark to all partitions but those that are silent."""
        streams: dict[tuple[str, int], list[Event]] = {
            (topic, partition): [] for topic in self._topics for partition in range(self.partitions)
        }
        for event in self.shop.log[self._next :]:
            topic = self._topic(event.table or "")
            if isinstance(event, Ddl):
                for partition in range(self.partitions):
                    streams[topic, partition].append(event)
            else:
                streams[topic, self._partition(event)].append(event)
        self._next = len(self.shop.log)
        if watermark:
            self.resolved = self.shop.ts + 1
            self._watermarks.append(self._next)
            for (_, partition), events in streams.items():
                if partition not in silent:
                    events.append(Watermark(self.resolved))
        for (topic, partition), events in streams.items():
            if events:
                found = self._encoder.encode(Events.of(events).columns)
                pairs = zip(found.column("key").to_pylist(), found.column("value").to_pylist(), strict=True)
                records = [Record(partition, key, value) for key, value in pairs]
                self.broker.send(topic, records)
                self.sent += len(records)

    def restart(self, watermarks: int = 2) -> None:
        """Goes back by so many watermarks: what was sent since is sent again, and rows go to other partitions."""
        del self._watermarks[-watermarks:]
        self._next = self._watermarks[-1] if self._watermarks else 0
        self._hop += 1

    def _topic(self, table: str) -> str:
        return self.topic.replace("{table}", table)

    def _partition(self, event: RowChange) -> int:
        """By the row's key; before and after a restart it is another one."""
        row = event.new if event.new is not None else event.old
        assert row is not None
        return random.Random(f"{event.table} {row['id']} {self._hop}").randrange(self.partitions)
