"""TiCDC's change events in Spark: messages to events, to the typed rows of a table, and back.

    from tidewire.spark import from_ticdc, rows_from_ticdc, table_schema, to_ticdc

Frames of messages look like Spark's Kafka source (`value`; `key`, `topic`, `partition`, `offset` where there are
such). Options are strings, with names in any case; protocols are named as in `tidewire.protocols()`.
"""

from __future__ import annotations

try:
    import pyspark as _pyspark  # noqa: F401
except ImportError as _error:
    raise ImportError(
        "tidewire.spark needs PySpark and pandas: pip install '.[spark]' in Tidewire's folder installs them"
    ) from _error

from tidewire.runtime.errors import DecodeError, EncodeError, OptionError, TidewireError
from tidewire.spark.arrow_types import SchemaError
from tidewire.spark.encode import to_ticdc
from tidewire.spark.events import from_ticdc
from tidewire.spark.infer import table_schema, table_schemas
from tidewire.spark.rows import rows_from_ticdc
from tidewire.spark.session import local_session
from tidewire.spark.source import MalformedError

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
    "table_schema",
    "table_schemas",
    "to_ticdc",
]
