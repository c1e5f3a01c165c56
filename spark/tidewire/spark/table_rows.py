"""The task that makes typed rows of one table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa
from pyspark.sql.types import StructType

from tidewire.mysql import ColumnType
from tidewire.reading.message_batch import MessageBatch
from tidewire.reading.table_rows import Plan, TypedRows
from tidewire.reading.types import TIMESTAMP, Wanted
from tidewire.runtime.batch import EventColumns, Layout
from tidewire.spark.arrow_types import wanted
from tidewire.spark.drift import tell_zone, watch, whole_layouts
from tidewire.spark.images import TableTask
from tidewire.spark.options import load
from tidewire.spark.rescue import rescued


@dataclass(frozen=True)
class RowsTask(TableTask, TypedRows):
    """`mapInArrow`: messages -> rows of one table."""

    table: tuple[str, str]
    columns: StructType

    @cached_property
    def facts(self) -> Any:  # type: ignore[override]
        """The facts about the protocol."""
        return load(self.protocol).FACTS

    @cached_property
    def wanted(self) -> list[Wanted]:  # type: ignore[override]
        """The columns of the rows."""
        return wanted(self.columns)

    def process(self, messages: MessageBatch, decoded: EventColumns) -> pa.RecordBatch | None:
        images = self.images(messages, decoded)
        parts = images.parts
        if not parts and not decoded.errors:
            return None
        columns = self.convert_all(decoded, images) if parts else {}
        return self.finish(messages, decoded, {**columns, **images.metadata}, images.message, images.reasons)

    def rescued(self, layout: Layout, plan: Plan, refused: Sequence[tuple[int, pa.Array]]) -> pa.Array:
        return rescued(layout, plan.left, refused, plan.absent)

    def met(self, decoded: EventColumns, new: Sequence[Layout]) -> None:
        """Warns of columns that come and go, and of instants in an unknown time zone."""
        if not self.options.zoned and any(map(self._has_instants, new)):
            zones = decoded.events.column("time_zone")
            if zones.null_count == len(zones):
                tell_zone(self.table, self.options.timezone)
        if self.options.rescued_column is None:
            for layout in whole_layouts(decoded, new):
                watch(self.table, layout, self.columns.names)

    def _has_instants(self, layout: Layout) -> bool:
        """Whether the layout has a TIMESTAMP column that rows contain as an instant (a Spark TIMESTAMP)."""
        instants = {one.name.lower() for one in self.wanted if one.target.arrow == TIMESTAMP}
        return any(one.type == ColumnType.TIMESTAMP and one.name.lower() in instants for one in layout.columns)
