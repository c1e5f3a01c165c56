"""TiCDC's change events in Spark: messages to events, to the typed rows of a table, to live tables, and back.

    from tidewire.spark import from_ticdc, rows_from_ticdc, snapshot, sync, table_schema, to_ticdc

Frames of messages look like Spark's Kafka source (`value`; `key`, `topic`, `partition`, `offset` where there are
such). Options are strings, with names in any case; protocols are named as in `tidewire.protocols()`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from tidewire.runtime.errors import DecodeError, EncodeError, OptionError, TidewireError

if TYPE_CHECKING:
    from tidewire.reading.message_batch import MalformedError
    from tidewire.reading.types import SchemaError
    from tidewire.spark.encode import to_ticdc
    from tidewire.spark.events import from_ticdc
    from tidewire.spark.infer import table_schema, table_schemas
    from tidewire.spark.rows import rows_from_ticdc
    from tidewire.spark.session import local_session
    from tidewire.spark.sync.exact import snapshot
    from tidewire.spark.sync.run import sync

__all__ = [
    "DecodeError",
    "EncodeError",
    "MalformedError",
    "OptionError",
    "SchemaError",
    "TidewireError",
    "from_ticdc",
    "local_session",
    "rows_from_ticdc",
    "snapshot",
    "sync",
    "table_schema",
    "table_schemas",
    "to_ticdc",
]

_FROM = {
    "MalformedError": "tidewire.reading.message_batch",
    "SchemaError": "tidewire.reading.types",
    "from_ticdc": "tidewire.spark.events",
    "local_session": "tidewire.spark.session",
    "rows_from_ticdc": "tidewire.spark.rows",
    "snapshot": "tidewire.spark.sync.exact",
    "table_schema": "tidewire.spark.infer",
    "table_schemas": "tidewire.spark.infer",
    "to_ticdc": "tidewire.spark.encode",
}
"""The module of each name that needs Spark. It is imported on first use, so that the rest works without Spark."""


def __getattr__(name: str) -> Any:
    """Imports a name of `_FROM` on its first use."""
    module = _FROM.get(name)
    if module is None and name != "sync":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        importlib.import_module("pyspark")
    except ImportError as error:
        raise ImportError(
            "tidewire.spark needs PySpark and pandas: pip install '.[spark]' in Tidewire's folder installs them, and "
            "pip install 'pyspark>=4.0,<4.4' 'pandas>=2.2' where it was installed from a wheel"
        ) from error
    if module is None:
        return importlib.import_module(f"{__name__}.sync")  # the package, which can be called like its function
    found = globals()[name] = getattr(importlib.import_module(module), name)
    return found


def __dir__() -> list[str]:
    """The public names, imported or not."""
    return sorted(__all__)
