"""Finds messages that may describe tables, without decoding them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from tidewire.runtime.arrow.literals import constant

if TYPE_CHECKING:
    from tidewire.messages.protocol_facts import ProtocolFacts


def may_describe(facts: ProtocolFacts, options: Mapping[str, str], values: pa.Array) -> pa.Array:
    """Which messages may describe a table (bool). A text message describes none if it contains none of the protocol's
    member names for descriptions and no escapes. All non-null messages count if they are compressed or not text.

    Args:
        options: options of the protocol, under TiCDC's names.
    """
    records = facts.records is not None and options.get(facts.records.option) == facts.records.choice
    if not facts.text or not facts.describing or records or options.get(facts.compression or "", "none") != "none":
        return pc.is_valid(values)
    # searching the concatenated values first is much faster, and most batches contain none of the names
    data = values.buffers()[2]
    everything = b"" if data is None else data.to_pybytes()
    names = [name for name in (*(f'"{one}"' for one in facts.describing), "\\u") if name.encode() in everything]
    none = pa.repeat(constant(False, pa.bool_()), len(values))
    found = reduce(pc.or_, [pc.match_substring(values, name) for name in names], none)
    return pc.fill_null(found, constant(False, pa.bool_()))
