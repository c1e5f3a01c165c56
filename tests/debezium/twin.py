"""A second, naive reader of TiCDC's Debezium over the standard library's JSON: what the decoder has to agree with.

It gives the event of a key and a value as plain tuples, or raises MalformedError; it does not say where. What columns
are is told by `tidb_type` in the schema block, else by the tables that the caller keeps (`read` adds those of DDL
messages), else by connect's types as far as they tell: `exact` says whether it was one of the first two. A row without
any of them raises UndescribedError; what Debezium's own connector alone writes is not read, but a ForeignError.

FACTS.md says what the reader relies on.
"""

from __future__ import annotations

import re
from binascii import a2b_base64
from contextlib import suppress
from itertools import accumulate
from typing import Any, NamedTuple

from json_twin import DECODER, MalformedError, Number, Pairs, integer, members, need, text

from debezium.twin_blocks import Field, fields_of, kind_of
from debezium.twin_tables import Described, Table, Tables, change_of
from debezium.values import typed

U64, I64 = 2**64 - 1, 2**63 - 1
KINDS = {"c": "insert", "u": "update", "d": "delete", "r": "insert"}
PAYLOAD = (
    "source", "ts_ms", "transaction", "op", "before", "after", "databaseName", "schemaName", "ddl", "tableChanges",
)  # fmt: skip
SOURCE = (
    "version", "connector", "name", "ts_ms", "snapshot", "db", "table", "server_id", "gtid", "file", "pos", "row",
    "thread", "query", "commit_ts", "start_ts", "cluster_id", "schema", "collection",
)  # fmt: skip


MOST_DEPTH = 514
"""Objects and arrays in one another, with those of the envelope."""


class UndescribedError(MalformedError):
    """Nothing says what the row's columns are: schema, table."""


class Flat(NamedTuple):
    """An event. Images are values by column name, the key has what stands there; fields are those of the block."""

    kind: str
    commit_ts: int | None
    sent_ms: int | None
    schema: str | None = None
    table: str | None = None
    cluster: str | None = None
    start_ts: int | None = None
    ddl_class: str | None = None
    query: str | None = None
    key: dict[str, Any] | None = None
    new: dict[str, Any] | None = None
    old: dict[str, Any] | None = None
    exact: bool = True
    fields: dict[str, Field] | None = None
    commit_ms: int | None = None
    types_from: str | None = None
    zoned: bool = False
    after: Described | None = None
    columns: Table | None = None


class Envelope(NamedTuple):
    """A key or a value. `literals` says whether labels in it are as SQL has them: then TiCDC has not written it."""

    fields: dict[str, Field] | None
    payload: Any
    literals: bool
    block: Any = None


def read(key: bytes | None, value: bytes, tables: Tables) -> Flat | None:
    """The event of a key and a value without compression; None when it has none. Adds what it describes to the tables.

    Raises:
        MalformedError: it has to be refused.
        UndescribedError: nothing says what the row's columns are.
        ForeignError: TiCDC does not write it.
    """
    names: dict[str, Any] | None = None
    if key is not None and re.match(rb'[ \t\r\n]*\{[ \t\r\n]*(["}]|$)', key):
        with suppress(MalformedError):  # a damaged key costs no row
            opened = _opened(key)
            cells = dict(reversed(opened.payload or ()))
            need(opened.fields is not None or all(text(name) is not None for name in cells), "name")
            names = {
                name: cells.get(name)
                for name in (dict(opened.payload or ()) if opened.fields is None else opened.fields)
            }
    block, payload, literals, whole = _opened(value)
    said = members(payload, PAYLOAD)
    source = said.get("source")
    found = {} if source is None else members(source, SOURCE)
    need(found.get("schema") in (None, "") and found.get("collection") in (None, ""), "connector")
    need(found.get("connector") in (None, "", "mysql", "mariadb", "TiCDC"), "connector")
    sent = integer(said.get("ts_ms"), -I64 - 1, I64)
    commit_ts, commit_ms = integer(found.get("commit_ts"), 0, U64), integer(found.get("ts_ms"), -I64 - 1, I64)
    switch, query = text(said.get("op")), said.get("ddl")
    need(query is None or type(query) is str, "ddl")
    start_ts = integer(found.get("start_ts"), 0, U64)
    schema, table = text(found.get("db")) or None, text(found.get("table")) or None
    if switch is None and query is None and _is_skipped(dict(payload), whole):
        return None
    plain = Flat(
        "", commit_ts, sent, schema, table, found.get("cluster_id"), start_ts, key=names,
        commit_ms=commit_ms if commit_ts is None else None,
    )  # fmt: skip
    need(switch in (*KINDS, None, "t", "m") and (switch is not None or query is not None), "op")
    when = commit_ts
    if when is None and commit_ms is not None and commit_ms >= 0:
        when = min(commit_ms << 18, U64)
    unused = {"c": ("before",), "r": ("before",), "u": (), "d": ("after",)}.get(switch or "", ("before", "after"))
    need(all(said.get(name) in (None, [], Pairs()) for name in unused), "rows that nothing is said of")
    if switch in KINDS:
        plain = _row(plain, said, block, tables, when)
    elif switch == "m":
        plain = plain._replace(kind="watermark")
    else:
        plain = _ddl(plain, said, tables, when, literals)._replace(query=text(query))
        plain = plain._replace(ddl_class="truncate_table" if switch == "t" else plain.ddl_class)
    need(source is not None or switch in KINDS, "missing")
    need(switch != "m" or commit_ts is not None, "missing")
    return plain


def _is_skipped(found: dict[str, Any], block: Any) -> bool:
    """Whether it is a heartbeat, or where a transaction begins or ends."""
    said = {} if block is None else dict(block)
    names = {"ts_ms": "Heartbeat", "status": "TransactionMetadataValue"}
    fields = {dict(one).get("field") for one in said.get("fields", ())}
    times = dict.fromkeys(("ts_ms", "ts_us", "ts_ns"), Number)
    begins = {"status": str, "id": str, "event_count": Number, "data_collections": list}
    for first, kinds in (("ts_ms", times), ("status", begins | times)):
        if found.get(first) is not None and all(
            one is None or type(one) is kinds.get(name) for name, one in found.items()
        ):
            if (said.get("name") or "") not in ("", f"io.debezium.connector.common.{names[first]}"):
                return False
            needed = {"event_count", "data_collections"} if first == "status" else set()
            if not fields <= set(kinds) or not needed <= set(found):
                return False
            whole = [one for one in found.values() if type(one) is Number]
            counts = [dict(one) for one in found.get("data_collections") or () if isinstance(one, Pairs)]
            whole += [one["event_count"] for one in counts if one.get("event_count") is not None]
            return (
                first == "ts_ms"
                or (
                    found["status"] in ("BEGIN", "END")
                    and len(counts) == len(found.get("data_collections") or ())
                    and all(set(one) <= {"data_collection", "event_count"} for one in counts)
                    and all(one.get("data_collection") is None or type(one["data_collection"]) is str for one in counts)
                )
            ) and all(type(one) is Number and one.lstrip("-").isdigit() for one in whole)
    return False


def depth(data: bytes) -> int:
    """How many objects and arrays are in one another in a text of JSON."""
    if data.count(b"[") + data.count(b"{") <= MOST_DEPTH:
        return 0
    steps = (1 if one in b"[{" else -1 for one in re.findall(rb'"(?:[^"\\]|\\.)*"|[\[{\]}]', data) if one[0] != 34)
    return max(accumulate(steps))


def _opened(data: bytes) -> Envelope:
    """Block and payload; what is not in an envelope is a payload."""
    try:
        top = DECODER.decode(data.decode())
        need(depth(data) <= MOST_DEPTH, "deep")
    except (ValueError, RecursionError) as error:
        raise MalformedError(str(error)) from None
    need(isinstance(top, Pairs), "no object")
    found: dict[str, Any] = {}
    for name, one in top:
        if name not in ("payload", "schema"):
            return Envelope(None, top, True)
        need(name not in found, "twice")
        if one is not None and not isinstance(one, Pairs):
            return Envelope(None, top, True)
        found[name] = one
    if "payload" not in found:
        return Envelope(None, top, True)
    block = found.get("schema")
    fields = None if block is None else fields_of(block)
    return Envelope(fields, found["payload"], block is not None and next(iter(found)) == "schema", block)


def key_values(found: Flat) -> dict[str, Any]:
    """The values that the key has, by column name."""
    columns = found.columns or {}
    return {name: typed(columns[name], cell) for name, cell in (found.key or {}).items()}


# ---- rows


def _row(plain: Flat, said: dict[str, Any], block: dict[str, Field] | None, tables: Tables, when: int | None) -> Flat:
    need(plain.table is not None or block is not None, "table")
    known = None if plain.table is None else tables.at(plain.schema, plain.table, when)
    if block is not None:
        columns = {name: kind_of(one, (known or {}).get(name)) for name, one in block.items()}
        by_connect = any(one.tidb_type is None and not columns[name].exact for name, one in block.items())
        source = None if all(one.tidb_type is not None for one in block.values()) else "described"
        source = "connect" if by_connect else source
    else:
        if known is None:
            raise UndescribedError(f"{plain.schema}.{plain.table}")
        columns, source = known, "described"
        need(all(one.mysql_type != "nothing" for one in columns.values()), "type")
    kind = KINDS[said["op"]]
    new = _image(said.get("after"), columns) if kind != "delete" else None
    old = _image(said.get("before"), columns) if kind != "insert" else None
    need((new is not None or kind == "delete") and (old is not None or kind != "delete"), "images")
    return plain._replace(
        kind=kind, new=new, old=old, exact=source != "connect", fields=block, types_from=source, columns=columns,
        zoned=any(one.mysql_type == "timestamp" for one in columns.values()),
    )  # fmt: skip


def _image(value: Any, columns: Table) -> dict[str, Any] | None:
    if value is None:
        return None
    need(isinstance(value, Pairs), "no image")
    found: dict[str, Any] = {}
    last, first = "", None
    for name, cell in value:
        need(name in columns, "no column")
        # A NULL in a column of bytes with a default stands there twice, the second time not in base64.
        if name in found:
            need(name == last and _is_again(first, cell), "twice")
        else:
            found[name] = typed(columns[name], cell)
            last, first = name, cell
    return found


def _is_again(first: Any, cell: Any) -> bool:
    """Whether a text is that of the bytes before it, as far as they are one."""
    if type(first) is not str or type(cell) is not str:
        return False
    try:
        image = a2b_base64(first.encode(), strict_mode=True)
    except ValueError:
        return False
    return "\ufffd" in cell or cell.encode(errors="surrogatepass") == image


def _ddl(plain: Flat, said: dict[str, Any], tables: Tables, when: int | None, literals: bool) -> Flat:
    changes = said.get("tableChanges")
    need(changes is None or type(changes) is list, "changes")
    own = None if plain.schema is None or plain.table is None else (plain.schema, plain.table)
    after = None
    read = [change_of(one, own) for one in changes or []]
    for _, (name, before), table in read:
        if table is not None:
            assert name is not None
            when = tables.learn(*name, when, {**table, "literals": literals})
            if after is None or name == own:
                shown = ("name", "optional", "position", "comment")
                after = Described(*name, before, tuple(tuple(map(one.get, shown)) for one in table["columns"]))
    return plain._replace(kind="ddl", ddl_class=read[-1][0] if read else None, after=after)
