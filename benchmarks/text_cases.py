"""Rows with one long text, of kinds that JSON writes differently: plain, with escapes, several bytes a letter."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence

from benchmarks.cases import BLOB, INT, Change, ColumnDef, Value

LENGTHS = (4096, 65_535)
"""Bytes of a text as it is in the database, at most; the last is the most that a TEXT column holds."""
TOTAL, QUICK_TOTAL = 16 << 20, 2 << 20
"""Bytes of all texts of a case."""

_COLUMNS = (ColumnDef("id", INT, 0x0B), ColumnDef("body", BLOB, 0x40))
_FIRST_TSO = 470607709161390080
_ASCII = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,;:-_()"
_SCRIPTS = "".join(map(chr, range(0x4E00, 0x5200))) + "äöüßéèñçøåÄÖÜабвгдежзиклмн" * 8 + "\U0001f600\U0001f680"


def _plain(seed: random.Random) -> str:
    """Words of ASCII: nothing that JSON escapes."""
    return "".join(seed.choices(_ASCII, k=seed.randrange(1, 12))) + " "


def _document(seed: random.Random) -> str:
    """A piece of a JSON document: a quote, which JSON escapes, every ten bytes or so."""
    item = {"sku": f"A-{seed.randrange(10**9)}", "colour": "dark blue", "count": seed.randrange(10**6)}
    return json.dumps(item) + ","


def _scripts(seed: random.Random) -> str:
    """Words of letters of 2, 3 and 4 bytes in UTF-8, unescaped as TiCDC writes them."""
    return "".join(seed.choices(_SCRIPTS, k=seed.randrange(1, 9))) + " "


def _markup(seed: random.Random) -> str:
    r"""HTML: brackets and ampersands, which TiCDC's JSON writes as ``\u003c`` and the like, every eight bytes or so."""
    return f"<td>{seed.randrange(10**8)}</td>&nbsp;"


KINDS: dict[str, Callable[[random.Random], str]] = {
    "plain ASCII": _plain,
    "a JSON document": _document,
    "letters of 2 to 4 bytes": _scripts,
    "HTML, as \\u003c": _markup,
}
"""What a text is made of, piece by piece."""
ESCAPED = ("a JSON document", "HTML, as \\u003c")
"""Those of them that hold escapes."""


def texts(kind: str, length: int, total: int, seed: int = 1) -> list[Change]:
    """Inserts with different texts of ``length`` bytes or up to 3 fewer, ``total`` bytes in all or a little more."""
    chance = random.Random(f"{seed} {kind} {length}")
    pieces = _pieces(KINDS[kind], chance)
    rows = []
    for number in range(-(-total // length)):
        body = b""
        while len(body) < length:
            body += next(pieces)
        values: dict[str, Value] = {"id": number, "body": body[:length].decode(errors="ignore")}
        rows.append(Change(_FIRST_TSO + number, "shop", "pages", _COLUMNS, values, {}, kind="insert"))
    return rows


def _pieces(make: Callable[[random.Random], str], chance: random.Random) -> Iterator[bytes]:
    """Blocks of sixteen pieces without end, picked from 512: making every piece anew would take minutes."""
    blocks: Sequence[bytes] = ["".join(make(chance) for _ in range(16)).encode() for _ in range(512)]
    while True:
        yield chance.choice(blocks)
