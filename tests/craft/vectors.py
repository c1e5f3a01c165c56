"""Messages written by the producer's own encoder, with the events they stand for; nothing here was made with our code.

Case 0 and 1 are those of the size table in the protocol's published document, with FLOATs that are written right.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

from craft.wire import Cell, Change, Mark, Plain, Statement


class Vector(NamedTuple):
    """A message."""

    name: str
    message: bytes
    events: tuple[Plain, ...]
    handle_key_only: bool = False
    """Written with delete-only-output-handle-key-columns; the event is the full one."""
    decoded: tuple[Plain, ...] | None = None
    """What is decoded, where that is less than what was encoded."""


TS, TS_DELETE = 415508878783938562, 415508881418485761
ID, VAL = ("id", 3, 0x0A), ("val", 15, 0x40)


def row(value: str) -> tuple[Cell, ...]:
    """A row of test.t1 with id 1."""
    return Cell(*ID, 1), Cell(*VAL, value)


def one(name: str, kind: int, flags: int, value: int | str | bytes | None) -> tuple[Cell, ...]:
    """A row of one column."""
    return (Cell(name, kind, flags, value),)


def double(value: float) -> bytes:
    """The eight bytes of a FLOAT or DOUBLE."""
    return struct.pack("<d", value)


TYPES = (
    Cell("a", 1, 0, -128),
    Cell("b", 8, 0x80, 2**64 - 1),
    Cell("c", 8, 0, -(2**63)),
    Cell("d", 13, 0x80, 2021),
    Cell("e", 16, 0, 81),
    Cell("f", 247, 0, 2),
    Cell("g", 248, 0, 5),
    Cell("h", 5, 0, double(-0.5)),
    Cell("i", 252, 1, b"\x00\xff"),
    Cell("j", 254, 0, ""),
    Cell("k", 246, 0, "129012.1230000"),
    Cell("l", 245, 0, '{"a": 1}'),
    Cell("m", 255, 0, None),
    Cell("n", 6, 0, None),
    Cell("o", 11, 0, "-838:59:59"),
)


def document_row(old: bool) -> tuple[Cell, ...]:
    """A row of the published size table."""
    day = "2021/01/01" if old else "2021/01/02"
    return (
        Cell("varchar", 15, 0, "varchar0" if old else "varchar1"),
        Cell("string", 254, 0, "string0" if old else "string1"),
        Cell("date", 10, 0, day),
        Cell("timestamp", 7, 0, f"{day} 00:00:00"),
        Cell("datetime", 12, 0, f"{day} 00:00:00"),
        Cell("float", 4, 0, double(1.0 if old else 2.0)),
        Cell("long", 3, 0, 1000 if old else 2000),
        Cell("null", 6, 0, None),
    )


def document_update(commit_ts: int, table: str, partition: int | None = None) -> Change:
    """An update of the published size table."""
    return Change("update", commit_ts, "a", table, partition, document_row(False), document_row(True))


CASE_0: tuple[Plain, ...] = (document_update(424316552636792833, "b"),)
CASE_1: tuple[Plain, ...] = (
    document_update(424316553934667777, "c"),
    document_update(424316554327097345, "d"),
    document_update(424316554746789889, "e"),
    document_update(424316555073945601, "f", 6),
)

_LINES: list[tuple[str, str, tuple[Plain, ...]]] = [
    ("resolved", "018380c0ba83e48be20503010101021a19010005", (Mark(415508881038376963),)),
    ("resolved 2021", "018180c0e095b6def10503010101021a19010005", (Mark(424316592563683329),)),
    (
        "create table",
        "018180f0bb8db5def10502010002010e637265617465207461626c6520610201016162021a0f012005",
        (Statement(424316555979653121, "a", "b", 1, "create table a"),),
    ),
    (
        "create database: no table",
        "01010201000101116372656174652064617461626173652061010161020a03012605",
        (Statement(1, "a", None, 1, "create database a"),),
    ),
    (
        "ddl of the document",
        "018680a0c8a9e38be205020100020339435245415445205441424c4520746573742e743128696420696e74207072696d61727920"
        "6b65792c2076616c20766172636861722831362929020402746573747431021a07017605",
        (Statement(415508856908021766, "test", "t1", 3, "CREATE TABLE test.t1(id int primary key, val varchar(16))"),),
    ),
    (
        "insert",
        "018280c087fbe38be2050101000201020402030f0a4002040261610404020203746573747431696476616c021a06011a011a07",
        (Change("insert", TS, "test", "t1", None, row("aa"), None),),
    ),
    (
        "update",
        "018280c087fbe38be2050101000201020402030f0a40020402626202020402030f0a400204026161040402020374657374743169"
        "6476616c021a060134021a0008",
        (Change("update", TS, "test", "t1", None, row("bb"), row("aa")),),
    ),
    (
        "delete",
        "018180e0ef84e48be2050101000202020402030f0a4002040261610404020203746573747431696476616c021a06011a011a07",
        (Change("delete", TS_DELETE, "test", "t1", None, None, row("aa")),),
    ),
    (
        "partition",
        "010501d80100020101040300020e03040101746573747069020c08010e010e07",
        (Change("insert", 5, "test", "p", 108, one("i", 3, 0, 7), None),),
    ),
    (
        "two rows, the later one with the smaller ts",
        "0105feffffffffffffffff0101010100000002000101040300020e0101040300020e030402017465737474316902260f020e0001"
        "0e010e0a",
        (
            Change("insert", 5, "test", "t1", None, one("i", 3, 0, 7), None),
            Change("insert", 3, "test", "t1", None, one("i", 3, 0, 7), None),
        ),
    ),
    (
        "float 0.1",
        "010101010002010104040010000000a09999b93f0304020174657374743166020a0c011c011c07",
        (Change("insert", 1, "test", "t1", None, one("f", 4, 0, bytes.fromhex("000000a09999b93f")), None),),
    ),
    (
        "types",
        "010501010002010f0402020202020202020202020202020108080d10f701f80105fc01fe01f601f501ff01060b00800100800100"
        "00000001000000000000041414040202021004001c10010114ff01ffffffffffffffffff01ffffffffffffffffff01ca1f510205"
        "000000000000e0bf00ff3132393031322e313233303030307b2261223a20317d2d3833383a35393a353911040201010101010101"
        "01010101010101017465737474316162636465666768696a6b6c6d6e6f020a4401980201980209",
        (Change("insert", 5, "test", "t1", None, TYPES, None),),
    ),
    (
        "case 0",
        "018180f08181b5def10501010002010804020202020202020ffe010a070c0403060000000000000000100e142626100401766172"
        "6368617231737472696e6731323032312f30312f3032323032312f30312f30322030303a30303a3030323032312f30312f303220"
        "30303a30303a30300000000000000040a01f020804020202020202020ffe010a070c0403060000000000000000100e1426261004"
        "017661726368617230737472696e6730323032312f30312f3031323032312f30312f30312030303a30303a3030323032312f3031"
        "2f30312030303a30303a3030000000000000f03fd00f0a01010706040908050404616276617263686172737472696e6764617465"
        "74696d657374616d706461746574696d65666c6f61746c6f6e676e756c6c021a5e01b00302d801000a",
        CASE_0,
    ),
]

VECTORS = [Vector(name, bytes.fromhex(image), events) for name, image, events in _LINES] + [
    Vector(
        "delete, handle key only",
        bytes.fromhex("018180e0ef84e48be20501010002020104030a0202030402027465737474316964021a01010e010e07"),
        (Change("delete", TS_DELETE, "test", "t1", None, None, row("aa")),),
        True,
        (Change("delete", TS_DELETE, "test", "t1", None, None, row("aa")[:1]),),
    )
]
"""The table of golden vectors."""

BY_NAME = {vector.name: vector for vector in VECTORS}
CASE_1_HEADERS = bytes.fromhex(
    "8180e0ec85b5def105 808090bb01 808090c801 8080809c01 01010101 0100000e 00000000 02020202".replace(" ", "")
)
CASE_1_END = bytes.fromhex("02503404b00300000002d8010002d8010002d8010002d8010019")
