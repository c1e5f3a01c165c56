"""The protocols that are measured: what rows, in what messages, beside whom."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from benchmarks.cases import DATETIME, Change, recorded_message
from benchmarks.peers import (
    CANAL_JSON,
    CANAL_JSON_ANY,
    CANAL_JSON_VARIED,
    DEBEZIUM,
    DEBEZIUM_BARE,
    OPEN_PROTOCOL,
    OPEN_PROTOCOL_MIXED,
    OPEN_PROTOCOL_VARIED,
    PEERS,
    REGISTERED,
    SIMPLE,
    SIMPLE_RECORDS,
    MsgspecTyped,
    Peer,
)
from benchmarks.peers.canal_json import MsgspecColumns
from benchmarks.peers.canal_text import SENT_MS
from benchmarks.peers.debezium_json import BareColumns, DebeziumColumns
from benchmarks.peers.debezium_text import carried_value
from benchmarks.peers.open_columns import OpenColumns
from benchmarks.peers.simple_json import SimpleColumns


@dataclass(frozen=True)
class Subject:
    """A protocol of ours and what is measured of it.

    Attributes:
        name: of the subject; TiCDC's name of the protocol, where that is one subject only.
        title: as people write it.
        options: options of messages of so many events, under TiCDC's names.
        peers: who reads and writes the same rows.
        batches: events per message, recorded updates.
        widths: columns of synthetic tables.
        kinds: what synthetic rows are: update, insert.
        width_batches: events per message of synthetic rows.
        tables: how many interleaved tables there are, one first.
        mixed_batches: events per message of interleaved rows.
        mixed_peers: who is measured on the largest number of interleaved tables; nobody when it is empty.
        shared: whether the peers read the protocol's own messages.
        varied: kind and events per message of varied rows.
        varied_peers: who is measured on them.
        many_batches: events per message of rows of thousands of tables.
        sent_ms: what the clock in messages says; None: they have none.
        row_ids: whether messages tell a row's integer handle.
        hand: who is a reader written by hand that ends in Arrow columns too.
        recorded: messages that TiCDC wrote of so many recorded events.
        reference: its name among the figures of Go that were recorded, and what its decoders do there.
        protocol: TiCDC's name of the protocol, where it is more than one subject.
        described: whether rows are read by descriptions of their tables, which come apart from them.
        versioned: whether rows say the version of their table's description.
        go_decodes: whether TiCDC has a decoder for such messages.
        carried: what the protocol carries of rows; None: all of it.
        declared: types as descriptions of tables declare them, by code, where that decides how values are written.
        plain_avro: whether plain Avro records of the recorded rows are decoded beside it, by arrow-avro.
        registered: whether a registry has the schemas of its records; arrow-avro reads its own messages then.
        tells_old: whether a message has the row before an update.
    """

    name: str
    title: str
    options: Callable[[int], dict[str, Any]]
    peers: tuple[type[Peer], ...]
    batches: tuple[int, ...]
    widths: tuple[int, ...]
    kinds: tuple[str, ...]
    width_batches: tuple[int, ...]
    tables: tuple[int, ...]
    mixed_batches: tuple[int, ...]
    mixed_peers: tuple[type[Peer], ...] = ()
    shared: bool = False
    varied: tuple[tuple[str, int], ...] = (("update", 1), ("insert", 1))
    varied_peers: tuple[type[Peer], ...] = ()
    many_batches: tuple[int, ...] = (1,)
    sent_ms: int | None = None
    row_ids: bool = False
    hand: type[Peer] | None = None
    recorded: Mapping[int, Callable[[int], bytes]] = field(default_factory=dict)
    reference: str = ""
    protocol: str = ""
    described: bool = False
    versioned: bool = False
    go_decodes: bool = True
    carried: Callable[[Change], Change] | None = None
    declared: Mapping[int, str] = field(default_factory=dict)
    plain_avro: bool = False
    registered: bool = False
    tells_old: bool = True

    def rows(self, rows: Sequence[Change]) -> list[Change]:
        """The rows as the protocol carries them."""
        return list(rows) if self.carried is None else [self.carried(row) for row in rows]

    @property
    def protocol_name(self) -> str:
        """TiCDC's name of the protocol."""
        return self.protocol or self.name

    @property
    def codec(self) -> Any:
        """The generated package."""
        return importlib.import_module("tidewire." + self.protocol_name.replace("-", "_"))

    def ours(self, batch: int) -> Any:
        """The options of our codec."""
        return self.codec.Options(**{name.replace("-", "_"): value for name, value in self.options(batch).items()})


CRAFT = Subject(
    "craft",
    "Craft",
    options=lambda batch: {"max-batch-size": batch, "max-message-bytes": 64 << 20},
    peers=PEERS,
    batches=(1, 4, 16, 64, 256),
    widths=(8, 20, 150),
    kinds=("update",),
    width_batches=(1, 64),
    tables=(1, 4, 64),
    mixed_batches=(1, 4, 64),
    varied=(("update", 1), ("update", 64), ("insert", 64)),
    varied_peers=(MsgspecTyped,),
    many_batches=(1, 16),
    recorded=dict.fromkeys((1, 4, 64), recorded_message),
    reference="craft",
)
CANAL = Subject(
    "canal-json",
    "Canal-JSON",
    # Without the extension there is no commit ts.
    options=lambda batch: {"enable-tidb-extension": True},
    peers=CANAL_JSON,
    batches=(1,),
    widths=(3, 8, 40),
    kinds=("insert",),
    width_batches=(1,),
    tables=(1, 4),
    mixed_batches=(1,),
    mixed_peers=CANAL_JSON_ANY,
    shared=True,
    varied_peers=CANAL_JSON_VARIED,
    sent_ms=SENT_MS,
    hand=MsgspecColumns,
    reference="canal-json-extension",
)
OPEN = Subject(
    "open-protocol",
    "Open Protocol",
    options=lambda batch: {"max-batch-size": batch, "max-message-bytes": 64 << 20},
    peers=OPEN_PROTOCOL,
    batches=(1, 4, 16, 64),
    widths=(8, 20, 150),
    kinds=("update",),
    width_batches=(1, 64),
    tables=(1, 4, 64),
    mixed_batches=(1, 64),
    mixed_peers=OPEN_PROTOCOL_MIXED,
    shared=True,
    varied=(("update", 1), ("update", 64), ("insert", 64)),
    varied_peers=OPEN_PROTOCOL_VARIED,
    many_batches=(1, 16),
    row_ids=True,
    hand=OpenColumns,
    reference="open-protocol",
)
SIMPLE_JSON = Subject(
    "simple",
    "Simple",
    options=lambda batch: {},
    peers=SIMPLE,
    batches=(1,),
    widths=(3, 8, 40),
    kinds=("insert",),
    width_batches=(1,),
    tables=(1, 4, 64),
    mixed_batches=(1,),
    mixed_peers=SIMPLE,
    shared=True,
    varied_peers=SIMPLE,
    sent_ms=SENT_MS,
    hand=SimpleColumns,
    reference="simple-json",
    described=True,
    versioned=True,
)


SIMPLE_AVRO = replace(
    SIMPLE_JSON,
    name="simple-records",
    title="Simple's records",
    options=lambda batch: {"encoding-format": "avro"},
    peers=SIMPLE_RECORDS,
    mixed_peers=SIMPLE_RECORDS,
    varied_peers=SIMPLE_RECORDS,
    hand=None,
    reference="simple-avro",
    protocol="simple",
    plain_avro=True,
)


def _carried_by_debezium(row: Change, digits: int | None = None) -> Change:
    new, old = [
        {one.name: carried_value(one, image[one.name], digits) for one in row.columns if one.name in image}
        for image in (row.new, row.old)
    ]
    return replace(row, new=new, old=old)


DEBEZIUM_JSON = Subject(
    "debezium",
    "Debezium",
    # With the extension schema blocks have TiDB's types.
    options=lambda batch: {"enable-tidb-extension": True},
    peers=DEBEZIUM,
    batches=(1,),
    widths=(3, 8, 40),
    kinds=("insert",),
    width_batches=(1,),
    tables=(1, 4, 64),
    mixed_batches=(1,),
    mixed_peers=DEBEZIUM,
    shared=True,
    varied_peers=DEBEZIUM,
    sent_ms=SENT_MS,
    hand=DebeziumColumns,
    reference="debezium-with-schema",
    carried=_carried_by_debezium,
)
DEBEZIUM_WITHOUT_BLOCKS = replace(
    DEBEZIUM_JSON,
    name="debezium-without-blocks",
    title="Debezium without blocks",
    options=lambda batch: {"debezium-disable-schema": True},
    peers=DEBEZIUM_BARE,
    mixed_peers=DEBEZIUM_BARE,
    varied_peers=DEBEZIUM_BARE,
    hand=BareColumns,
    reference="debezium-no-schema",
    protocol="debezium",
    described=True,
    declared={DATETIME: "datetime(3)"},
    carried=partial(_carried_by_debezium, digits=3),
    go_decodes=False,
)
AVRO = Subject(
    "avro",
    "Avro",
    # Without the extension there is no commit ts, and an update reads as an insert.
    options=lambda batch: {"enable-tidb-extension": True},
    peers=REGISTERED,
    batches=(1,),
    widths=(3, 8, 40),
    kinds=("insert",),
    width_batches=(1,),
    tables=(1, 4, 64),
    mixed_batches=(1,),
    mixed_peers=REGISTERED,
    shared=True,
    varied_peers=REGISTERED,
    reference="avro-extension",
    registered=True,
    tells_old=False,
)
SUBJECTS = {
    subject.name: subject
    for subject in (CRAFT, CANAL, OPEN, SIMPLE_JSON, SIMPLE_AVRO, DEBEZIUM_JSON, DEBEZIUM_WITHOUT_BLOCKS, AVRO)
}
