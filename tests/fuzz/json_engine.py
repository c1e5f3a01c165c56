"""The fuzzing engine for Canal-JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import recorded
from canal_json.twin import flat, read

from tidewire import canal_json
from tidewire.canal_json.decoder import Decoder
from tidewire.runtime.batch import EventColumns

from .crowd import Row
from .engine import Engine, Wire
from .text_edits import edited

TERMINATOR = "\r\n"
MADE = (
    rb'{"id":1,"database":"d\u00e9","table":"t","type":"INSERT","es":1,"ts":2,"mysqlType":{"a\u003cb":"varchar",'
    rb""""c":"varbinary","f":"float","e":"enum('x','y')","s":"set('x','y','z')","d":"double","i":"int","""
    rb'"u":"bigint unsigned"},"pkNames":["i"],"data":[{"a<b":"\ud83d\ude00\n","c":"\u00ff\u0000","f":"1e-7","e":"y",'
    rb'"s":"x,z","d":1.5e300,"i":-5,"u":"18446744073709551615"},{"i":"7"}]}',
    rb' { "data" : [ { "i" : "1" } , {"i":null}] , "old":[{},{"i":"3"}], "type":"UPDATE" , "table":"t","database":"d",'
    rb'"es":5,"ts":6,"mysqlType":{"i":"INTEGER"},"_tidb":{"commitTs":99,"rowkey":"AAEC","onlyHandleKey":true,'
    rb'"claimCheckLocation":"x\/y"}}' + b"\r\n ",
    rb'{"type":"TIDB_WATERMARK","es":1,"ts":1,"_tidb":{}}{"type":"GTID"}' + b"\r\n" + rb'{"type":"CREATE","sql":'
    rb'"a\u2028","es":1,"ts":1,"gtid":[[[{"x":[1,2.5e-3,true,false,null,"\\"]}]]]}',
    rb'{"type":"DELETE","es":1,"ts":1,"table":"t","database":"d","mysqlType":{"b":"bit(8)","y":"year","j":"json",'
    rb'"x":"decimal(10,2) unsigned","t":"tinyint unsigned zerofill"},"data":[{"b":"5","y":"2024",'
    rb'"j":"{\"a\": \"\\u00e9\"}","x":"1.50","t":"0007"}]}',
)
"""What no recording has."""


class JsonEngine(Engine):
    """The decoder of Canal-JSON."""

    name = "canal-json"
    module = canal_json
    chosen = {"terminator": TERMINATOR}  # noqa: RUF012

    @classmethod
    def made(cls) -> Sequence[bytes]:
        return MADE

    @classmethod
    def recorded(cls) -> Iterator[list[bytes]]:
        for stream in recorded.streams("canal-json"):
            yield [one.value for one in recorded.plain(stream)]

    def fresh(self) -> Wire:
        return Decoder(terminator=TERMINATOR)

    def read(self, value: bytes, known: Any) -> list[Any]:
        return read(value, TERMINATOR)

    def plain(self, columns: EventColumns) -> dict[int, list[Any]]:
        return flat(columns)

    def spoiled(self, chance: Random, corpus: Sequence[bytes]) -> bytes:
        """One to three changes."""
        found = chance.choice(corpus)
        for _ in range(chance.choice((1, 1, 1, 2, 3))):
            found = edited(chance, found, corpus)
        return found

    def written(self, row: Row) -> bytes:
        values: dict[str, Any] = {"id": str(row.id)} | {f"c{k}": value for k, value in enumerate(row.texts)}
        types = {"id": "int"} | {f"c{k}": "varchar" for k in range(len(row.texts))}
        message = {
            "id": 0, "database": "s", "table": row.table, "pkNames": ["id"], "isDdl": False, "type": "INSERT", "es": 1,
            "ts": 1, "sql": "", "sqlType": {}, "mysqlType": types, "data": [values], "old": None,
        }  # fmt: skip
        return json.dumps(message, ensure_ascii=row.id % 2 == 0).encode()

    def pointing(self, value: bytes, location: str) -> bytes | None:
        try:
            found = json.loads(value)
            if "claimCheckLocation" in found["_tidb"]:
                return None
            found["_tidb"]["claimCheckLocation"] = location
            return json.dumps(found).encode()
        except (ValueError, LookupError, TypeError, RecursionError):
            return None
