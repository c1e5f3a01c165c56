"""The interpreted counterpart of puts.pxd: methods of columns do the work."""

from __future__ import annotations

from tidewire.runtime.arrow.columns import Columns

put_int = Columns.put_int
put_uint = Columns.put_uint
put_float = Columns.put_float
put_null = Columns.put_null
put_bytes = Columns.put_bytes
put_known = Columns.put_known
