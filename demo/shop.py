"""A shop whose rows change: accounts that pay each other, orders, carts, and statements that alter the tables.

Whatever happens, the balances of all accounts add up to 0, and what lies in the till is what the orders add up to: in
the database at every commit ts, and so in tables that are the database at one.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from tidewire.events import Column, Ddl, RowChange
from tidewire.mysql import ColumnFlag, ColumnType, ddl_type_of

SCHEMA = "shop"
KEY = ColumnFlag.HANDLE_KEY | ColumnFlag.PRIMARY_KEY
TILL = 1
"""The account into which orders are paid."""
PARTS = 1 << 18
"""Commit timestamps in a millisecond."""
_OWNERS = ("Ada", "Björn", "Chiara", "Dmitri", "Elif", "Farid", "Grażyna", "Hiroko", "Inés", "Jürgen")
_ITEMS = ("bread", "butter", "coffee", "flour", "honey", "milk", "oil", "rice", "salt", "tea")

Row = dict[str, Any]
"""Values by column; a DECIMAL is text, as events have it."""


def _column(name: str, declared: str, flags: ColumnFlag = ColumnFlag.NULLABLE) -> Column:
    return Column(name, ColumnType[declared.partition("(")[0].upper()], flags, declared)


TABLES: Mapping[str, tuple[Column, ...]] = {
    "accounts": (_column("id", "bigint", KEY), _column("owner", "varchar(40)"), _column("balance", "decimal(14,2)")),
    "orders": (_column("id", "bigint", KEY), _column("buyer", "bigint"), _column("amount", "decimal(14,2)")),
    "carts": (_column("id", "bigint", KEY), _column("item", "varchar(20)"), _column("pieces", "int")),
}
"""The tables at first."""


class Table:
    """A table's columns and rows, and what statements did to it."""

    def __init__(self, columns: tuple[Column, ...]) -> None:
        self.columns = columns
        self.rows: dict[int, Row] = {}


class Database:
    """Tables by name, and how an event changes them."""

    def __init__(self) -> None:
        self.tables: dict[str, Table] = {}

    def apply(self, event: RowChange | Ddl, effect: Callable[[Table], None] | None) -> None:
        """An event; of a statement what it does to its table."""
        assert event.table is not None
        if isinstance(event, Ddl):
            table = self.tables.setdefault(event.table, Table(TABLES[event.table]))
            if effect is not None:
                effect(table)
            return
        rows = self.tables[event.table].rows
        if event.old is not None:
            del rows[event.old["id"]]
        if event.new is not None:
            rows[event.new["id"]] = dict(event.new)

    def balances(self) -> Decimal:
        """What all accounts add up to."""
        return _sum(self.tables["accounts"], "balance")

    def missing(self) -> Decimal:
        """What the till lacks of what the orders add up to."""
        till = self.tables["accounts"].rows.get(TILL)
        return _sum(self.tables["orders"], "amount") - Decimal(till["balance"] if till else 0)


def _sum(table: Table, column: str) -> Decimal:
    return sum((Decimal(row[column]) for row in table.rows.values()), Decimal(0))


class Shop:
    """The database, and the log of what happened to it.

    Attributes:
        ts: the greatest commit ts.
        log: events in the order of their commit ts.
    """

    def __init__(self, seed: int, ts: int) -> None:
        """Tables are made; they have the two accounts that everything is paid from and into.

        Args:
            seed: two shops of one seed are the same.
            ts: before the first commit ts.
        """
        self.ts = ts
        self.log: list[RowChange | Ddl] = []
        self.now = Database()
        self._effects: dict[int, Callable[[Table], None]] = {}
        self._defaults: dict[tuple[str, str], Any] = {}
        self._random = random.Random(seed)
        self._ids = dict.fromkeys(TABLES, 100)
        for name, columns in TABLES.items():
            declared = ", ".join(f"`{one.name}` {one.mysql_type}" for one in columns)
            self.state(name, f"CREATE TABLE `{SCHEMA}`.`{name}` ({declared}, PRIMARY KEY (`id`))")
        self._commit([self._row("accounts", {"id": one, "owner": f"the {of}", "balance": "0.00"}) for one, of in
                      ((0, "bank"), (TILL, "till"))])  # fmt: skip
        for _ in range(5):
            self.open()

    def trade(self, transactions: int) -> None:
        """So many transactions."""
        kinds = (self.open, self.transfer, self.buy, self.cancel, self.pick, self.swap)
        for _ in range(transactions):
            self._random.choices(kinds, (2, 5, 5, 1, 4, 1))[0]()

    def open(self) -> None:
        """Somebody opens an account, with money of the bank."""
        number, amount = self._next("accounts"), self._amount(1000)
        owner = f"{self._random.choice(_OWNERS)} {number}"
        new = self._row("accounts", {"id": number, "owner": owner, "balance": str(amount)})
        self._commit([new, self._paid(0, -amount)])

    def transfer(self) -> None:
        """An account pays another one."""
        one, other = self._random.sample([key for key in self.now.tables["accounts"].rows if key != TILL], 2)
        amount = self._amount(100)
        self._commit([self._paid(one, -amount), self._paid(other, amount)])

    def buy(self) -> None:
        """An order is paid into the till."""
        buyer = self._random.choice([key for key in self.now.tables["accounts"].rows if key > TILL])
        amount = self._amount(50)
        order = self._row("orders", {"id": self._next("orders"), "buyer": buyer, "amount": str(amount)})
        self._commit([self._paid(buyer, -amount), order, self._paid(TILL, amount)])

    def cancel(self) -> None:
        """An order is paid back."""
        orders = self.now.tables["orders"].rows
        if orders:
            order = self._random.choice(list(orders.values()))
            amount = Decimal(order["amount"])
            gone = self._row("orders", None, order)
            self._commit([gone, self._paid(order["buyer"], amount), self._paid(TILL, -amount)])

    def pick(self) -> None:
        """Something lies in a cart, or lies there no longer; a cart of 4 is another one in the same transaction."""
        carts = self.now.tables["carts"].rows
        number = self._random.randrange(40)
        new: Row = {"id": number, "item": self._random.choice(_ITEMS), self._pieces: self._random.randrange(1, 9)}
        old = carts.get(number)
        if old is None:
            self._commit([self._row("carts", new)])
        elif old[self._pieces] == 4:
            self._commit([self._row("carts", None, old), self._row("carts", new)])
        elif self._random.random() < 0.3:
            self._commit([self._row("carts", None, old)])
        else:
            self._commit([self._row("carts", {**old, **new}, old)])

    def swap(self) -> None:
        """Two carts swap their ids."""
        carts = list(self.now.tables["carts"].rows.values())
        if len(carts) > 1:
            one, other = self._random.sample(carts, 2)
            first, second = ({**row, "id": of["id"]} for row, of in ((one, other), (other, one)))
            # one transaction: TiCDC sends such rows as deletes and inserts
            self._commit([self._row("carts", None, one), self._row("carts", None, other),
                          self._row("carts", first), self._row("carts", second)])  # fmt: skip

    def state(self, table: str, sql: str, effect: Callable[[Table], None] | None = None) -> None:
        """A statement, and what it does to its table."""
        self._tick()
        if effect is not None:
            self._effects[self.ts] = effect
        self._log(Ddl(self.ts, SCHEMA, table, ddl_type_of(sql), sql))

    def add_column(self, table: str, name: str, declared: str, default: Any) -> None:
        """ALTER TABLE … ADD COLUMN: rows that are there have its default."""

        def effect(of: Table) -> None:
            of.columns = (*of.columns, _column(name, declared))
            of.rows = {key: {**row, name: default} for key, row in of.rows.items()}

        self._defaults[table, name] = default
        sql = f"ALTER TABLE `{SCHEMA}`.`{table}` ADD COLUMN `{name}` {declared} DEFAULT '{default}'"
        self.state(table, sql, effect)

    def rename_column(self, table: str, old: str, new: str) -> None:
        """ALTER TABLE … RENAME COLUMN."""

        def effect(of: Table) -> None:
            names = {one.name: new if one.name == old else one.name for one in of.columns}
            of.columns = tuple(Column(names[one.name], one.type, one.flags, one.mysql_type) for one in of.columns)
            of.rows = {key: {names[name]: value for name, value in row.items()} for key, row in of.rows.items()}

        self.state(table, f"ALTER TABLE `{SCHEMA}`.`{table}` RENAME COLUMN `{old}` TO `{new}`", effect)

    def truncate(self, table: str) -> None:
        """TRUNCATE TABLE."""
        self.state(table, f"TRUNCATE TABLE `{SCHEMA}`.`{table}`", lambda of: of.rows.clear())

    def at(self, resolved: int) -> Database:
        """The database as all changes with smaller commit timestamps left it."""
        found = Database()
        for event in self.log:
            assert event.commit_ts is not None
            if event.commit_ts >= resolved:
                break
            found.apply(event, self._effects.get(event.commit_ts))
        return found

    @property
    def _pieces(self) -> str:
        """What the third column of the carts is called now."""
        return self.now.tables["carts"].columns[2].name

    def _next(self, table: str) -> int:
        self._ids[table] += 1
        return self._ids[table]

    def _amount(self, most: int) -> Decimal:
        return Decimal(self._random.randrange(1, most * 100)).scaleb(-2)

    def _row(self, table: str, new: Row | None, old: Row | None = None) -> tuple[str, Row | None, Row | None]:
        """A change of a row; columns that were added since have their default."""
        if new is not None:
            names = [one.name for one in self.now.tables[table].columns]
            new = {name: new.get(name, self._defaults.get((table, name))) for name in names}
        return table, new, old

    def _paid(self, account: int, amount: Decimal) -> tuple[str, Row | None, Row | None]:
        old = self.now.tables["accounts"].rows[account]
        return "accounts", {**old, "balance": str(Decimal(old["balance"]) + amount)}, old

    def _commit(self, changes: list[tuple[str, Row | None, Row | None]]) -> None:
        self._tick()
        for table, new, old in changes:
            kind = "insert" if old is None else "delete" if new is None else "update"
            columns = self.now.tables[table].columns
            number = list(TABLES).index(table) + 100
            self._log(RowChange(kind, self.ts, SCHEMA, table, new, old, number, columns=columns))

    def _tick(self) -> None:
        self.ts += 1 + self._random.randrange(PARTS)

    def _log(self, event: RowChange | Ddl) -> None:
        self.log.append(event)
        self.now.apply(event, self._effects.get(self.ts) if isinstance(event, Ddl) else None)
