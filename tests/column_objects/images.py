"""Constructed images of column objects: valid ones in usual and unusual formats, and damaged ones."""

from __future__ import annotations

import json
from base64 import b64encode
from random import Random

from .peer import CODECS, DOUBLE, FLOAT, INT, QUOTED, RAW, TEXT, TEXT64, UINT

NAMES = ("id", "n", "a name that is longer than sixteen bytes", "ä", "<&>", 'a"b\\', "value", "x\u2028", "")
EDGES = (
    0,
    1,
    -1,
    9,
    10,
    2**31,
    2**53 + 1,
    10**17,
    10**18,
    10**18 + 1,
    2**63 - 1,
    2**63,
    -(2**63),
    2**64 - 1,
    2**64,
    10**20,
)
FLOATS = """
0 -0 0.0 1 -1.5 0.1 3.14 1e-7 1e+21 123456.789 1e22 1e23 9007199254740993 16777217 16777217.5 0.1e1 1E5 3.4028235e38
3.4028236e38 1.7976931348623157e308 2e308 5e-324 1e-400 0.000001 1e-6 8.5899346e+09 7.038531e-26 7.0385313e-26
1.00000005960464477539062 1.00000017881393432617187500001 2.2250738585072014e-308 123456789012345678901234567890
""".split()  # noqa: SIM905
WRONG = (
    *(
        "01",
        "-",
        "1.",
        ".5",
        "1e",
        "+1",
        "NaN",
        "true",
        "false",
        "[1]",
        "{}",
        '"x"',
        '""',
        "1.0",
        "1e2",
        "-0",
        "nul",
        "tru",
    ),
    *(
        '"\\ud800"',
        '"\\u00e9"',
        '"Z"',
        '"ZZ=="',
        '"Zg=="',
        '"Zh=="',
        '"Zg==\\n"',
        '"a\\\\"',
        '"\\\\x0"',
        '"\\\\x7g"',
        '"\\\\400"',
    ),
    *(
        '"\\\\101"',
        '"\\\\u00e9"',
        '"\\\\ud800"',
        '"\\\\U0010ffff"',
        '"\\\\U00110000"',
        '"\\\\\'"',
        '"\\n"',
        '"\\""',
        '"/w=="',
    ),
)
PIECES = (
    "a",
    "z" * 70,
    " ",
    "\t",
    "\n",
    "\0",
    "\x7f",
    '"',
    "\\",
    "<&>",
    "é",
    "漢",
    "😀",
    "\u2028",
    "\xa0",
    "\ufffd",
    "=",
)


def text(chance: Random) -> str:
    """A text of any kind."""
    return "".join(chance.choice(PIECES) for _ in range(chance.choice((0, 1, 1, 2, 5))))


def value(chance: Random, kind: int) -> str:
    """A value as JSON; mostly one of the type."""
    if chance.random() < 0.1:
        return "null"
    if chance.random() < 0.04:
        return chance.choice(WRONG)
    if kind in (INT, UINT):
        number = chance.choice(
            (chance.choice(EDGES), chance.getrandbits(chance.randrange(1, 66)), chance.randrange(1000))
        )
        return str(number if kind == INT else abs(number))
    if kind in (FLOAT, DOUBLE):
        return (
            chance.choice(FLOATS)
            if chance.random() < 0.5
            else repr(chance.uniform(-1, 1) * 10.0 ** chance.randrange(-9, 25))
        )
    if kind in (RAW, TEXT64):
        raw = (
            text(chance).encode() if kind == TEXT64 or chance.random() < 0.5 else chance.randbytes(chance.randrange(9))
        )
        return json.dumps(b64encode(raw).decode())
    if kind == QUOTED:
        letters = [
            rf"\x{byte:02x}" if byte in b'\\"\n' or chance.random() < 0.3 else chr(byte) for byte in chance.randbytes(4)
        ]
        return json.dumps("".join(letters), ensure_ascii=chance.random() < 0.5)
    if kind == TEXT:
        return json.dumps(text(chance), ensure_ascii=chance.random() < 0.5)
    return "null"


def column(chance: Random, kind: int, flags: int, canonical: bool) -> str:
    """A column object."""
    members = {"type": str(kind), "mark": "true", "flags": str(flags), "value": value(chance, kind)}
    if not flags & 2:
        del members["mark"]
    order = list(members)
    if not canonical:
        chance.shuffle(order)
        if chance.random() < 0.2:
            order.remove(chance.choice(order))
        if chance.random() < 0.1:
            order.insert(0, chance.choice(order or ["more"]))
        members["more"] = chance.choice(('{"a":[1,"x"]}', "1", '"\\u0041"', "nope"))
        if chance.random() < 0.1:
            order.append("more")
        if chance.random() < 0.1 and order:
            members[chance.choice(order)] = chance.choice(
                ("null", "256", "-1", "1.5", '"3"', "18446744073709551616", "false")
            )
    space = "" if canonical else chance.choice(("", "", " ", "\n\t"))
    written = f"{space},{space}".join(f'"{name}"{space}:{space}{members[name]}' for name in order)
    return f"{{{space}{written}{space}}}"


def table(chance: Random) -> list[tuple[str, int, int]]:
    """Columns: name, type, flags."""
    names = list(NAMES[: chance.randrange(1, len(NAMES))])
    kinds = (*range(len(CODECS)), *range(len(CODECS)), *range(len(CODECS)), len(CODECS))
    return [(name, chance.choice(kinds), chance.choice((0, 2, 65, 11, 2**64 - 1))) for name in names]


def image(chance: Random, columns: list[tuple[str, int, int]], canonical: bool) -> bytes:
    """An image of a table."""
    chosen = columns
    if not canonical or chance.random() < 0.3:
        chosen = chance.sample(columns, chance.randrange(len(columns) + 1))
    ascii_only = not canonical and chance.random() < 0.5
    written = [
        f"{json.dumps(name, ensure_ascii=ascii_only)}:{column(chance, kind, flags, canonical)}"
        for name, kind, flags in chosen
    ]
    if not canonical and written and chance.random() < 0.05:
        written.append(written[0])
    return f"{{{','.join(written)}}}".encode("utf-8", "surrogatepass")


def spoiled(chance: Random, good: bytes) -> bytes:
    """An image with a byte too few, too many or another one."""
    at = chance.randrange(len(good) + 1)
    byte = bytes([chance.choice((*b'{}[]",:\\0123456789eE.+-nulltrue \n\0\xc3\xff', chance.randrange(256)))])
    return good[:at] + chance.choice((b"", byte)) + good[at + chance.randrange(2) :]


def batches(seed: int, count: int, size: int) -> list[list[bytes]]:
    """Batches of images of a table each, most of them as a writer spells them."""
    chance = Random(seed)
    found = []
    for _ in range(count):
        columns = table(chance)
        batch = []
        for _ in range(size):
            one = image(chance, columns, chance.random() < 0.7)
            batch.append(spoiled(chance, one) if chance.random() < 0.2 else one)
        found.append([*batch, b"null", b"{}", b"null ", b"[]", b""])
    return found
