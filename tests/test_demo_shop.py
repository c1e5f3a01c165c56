"""The shop of make demo: its invariants hold at every commit ts, and its log is what its tables came from."""

from __future__ import annotations

from demo.shop import PARTS, TABLES, Shop
from tidewire.events import Ddl, RowChange

START = 450_000_000_000 * PARTS


def busy(seed: int) -> Shop:
    shop = Shop(seed, START)
    shop.trade(100)
    shop.add_column("orders", "note", "varchar(20)", "none")
    shop.trade(100)
    shop.rename_column("carts", "pieces", "number")
    shop.trade(100)
    shop.truncate("carts")
    shop.trade(100)
    return shop


def test_money_is_neither_made_nor_lost() -> None:
    shop = busy(1)
    made = [one for one in shop.log if isinstance(one, Ddl) and (one.query or "").startswith("CREATE")]
    opened = max(one.commit_ts or 0 for one in made)
    for ts in sorted({one.commit_ts or 0 for one in shop.log}):
        if ts >= opened:
            found = shop.at(ts + 1)
            assert [found.balances(), found.missing()] == [0, 0], ts


def test_the_log_gives_the_tables() -> None:
    shop = busy(2)
    found = shop.at(shop.ts + 1)
    for name in TABLES:
        assert found.tables[name].rows == shop.now.tables[name].rows
        assert found.tables[name].columns == shop.now.tables[name].columns
        names = {one.name for one in found.tables[name].columns}
        assert all(set(row) == names for row in found.tables[name].rows.values())
    kinds = {one.kind for one in shop.log if isinstance(one, RowChange) and one.table == "carts"}
    assert kinds == {"insert", "update", "delete"}


def test_shops_of_one_seed_are_the_same() -> None:
    assert busy(3).log == busy(3).log
