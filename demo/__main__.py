"""From a broker of Kafka to live tables of Iceberg and Delta, on this machine: what `make demo` runs.

python -m demo [--out DIR] [--rounds N] [--transactions N] [--into FORMAT …]

A shop's rows change, a changefeed sends them as TiCDC does, and `tidewire sync` keeps tables current, twice: one of its
processes is killed on the way. At the end every version that was published is compared with the shop.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from demo.broker import broker
from demo.changefeed import Changefeed
from demo.check import differences
from demo.service import StartError
from demo.shop import PARTS, TILL, Shop
from demo.syncing import Syncing
from tidewire.runtime.errors import TidewireError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TOPIC = "shop"
PAUSE = 0.5
"""Seconds between rounds."""
SECONDS = 600
"""How long tables may take to come to the last watermark."""
STATEMENTS: dict[int, tuple[str, Callable[[Shop], None]]] = {
    4: ("orders ADD COLUMN note", lambda shop: shop.add_column("orders", "note", "varchar(20)", "none")),
    8: ("carts RENAME COLUMN pieces", lambda shop: shop.rename_column("carts", "pieces", "number")),
    10: ("TRUNCATE carts", lambda shop: shop.truncate("carts")),
}
"""By round, of `ROUNDS`; with fewer of them sooner."""
RESTART = 6
"""The round in which the changefeed goes back and sends again."""
ROUNDS = 14
FORMATS = ("iceberg", "delta")


class DemoError(Exception):
    """The demo cannot go on; the text says why."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the demo; 1 and a sentence when it cannot, or when a published version is not what the shop was."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--out", default="out/demo", help="a folder, made anew, for tables and states")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"how long the shop is open (default {ROUNDS})")
    parser.add_argument("--transactions", type=int, default=50, help="in a round (default 50)")
    parser.add_argument(
        "--into", nargs="+", default=FORMATS, choices=FORMATS, help="the tables' formats (default both)"
    )
    given = parser.parse_args(arguments)
    try:
        trading = Trading(given.rounds, given.transactions, given.into)
        return 0 if run(Path(given.out).absolute(), trading, Console(highlight=False)) else 1
    except (TidewireError, StartError, DemoError) as error:
        print(error, file=sys.stderr)
        return 1


class Trading(NamedTuple):
    """How long the shop is open, and into which formats its tables go."""

    rounds: int
    transactions: int
    formats: Sequence[str]

    def happens(self, number: int) -> int:
        """The round for what happens in one of `ROUNDS`."""
        return max(1, number * self.rounds // ROUNDS)


def run(out: Path, trading: Trading, console: Console) -> bool:
    """The whole way.

    Args:
        out: the folder.
        trading: how long the shop is open.
        console: where to print.

    Returns:
        Whether all that was published is what the shop was.
    """
    from tidewire.spark.sync import jars

    def say(who: str, what: str) -> None:
        console.print(f"[dim]{time.strftime('%H:%M:%S')}[/]  {who:8}{escape(what)}")

    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    jars.jars(["kafka", *FORMATS], lambda line: say("maven", line))
    with ExitStack() as ending:
        kafka = broker(out / "kafka", lambda line: say("maven", line))
        ending.callback(kafka.stop)
        kafka.start()
        say("kafka", f"{kafka.title} is up, {kafka.servers}")
        shop = Shop(7, int(time.time() * 1000) * PARTS)
        running = [Syncing(format, out, kafka.servers, TOPIC, say) for format in trading.formats]
        feed = Changefeed(shop, kafka, TOPIC)
        for one in running:
            one.start()
            ending.callback(one.stop)
            say(one.format, f"tidewire sync {one.file.name}")
        trade(shop, feed, running, trading, say)
        for one in running:
            arrive(one, feed)
            say(one.format, "is at the last watermark")
    with quiet(out / "check.log"):
        return compared([one.state for one in running], out, shop, console)


def trade(
    shop: Shop, feed: Changefeed, running: Sequence[Syncing], trading: Trading, say: Callable[[str, str], None]
) -> None:
    """The shop is open; the first process is killed once, in the middle of its work."""
    business(shop, feed, 10 * trading.transactions)
    say("shop", f"{feed.sent:,} messages sent")
    first = running[0]
    killed = False
    for number in range(1, trading.rounds + 1):
        for at, (what, state) in STATEMENTS.items():
            if trading.happens(at) == number:
                state(shop)
                say("shop", what)
        if trading.happens(RESTART) == number:
            before = feed.sent
            feed.restart()
            feed.send()
            say("ticdc", f"restarts: {feed.sent - before:,} messages once more")
        business(shop, feed, trading.transactions)
        if not killed and (number > 2 or first.published):
            arrive(first, feed)
            business(shop, feed, 10 * trading.transactions)
            time.sleep(1.5)
            first.kill()
            say(first.format, "kill -9, and started again")
            first.start()
            killed = True
        time.sleep(PAUSE)
    say("shop", f"{feed.sent:,} messages sent; it closes")


def business(shop: Shop, feed: Changefeed, transactions: int) -> None:
    """Transactions of now, and their messages."""
    shop.ts = max(shop.ts, int(time.time() * 1000) * PARTS)
    shop.trade(transactions)
    feed.send()


def arrive(one: Syncing, feed: Changefeed) -> None:
    """Waits until a process has published all that was sent."""
    end = time.monotonic() + SECONDS
    while one.published < feed.resolved:
        if (line := one.ended()) is not None:
            raise DemoError(f"tidewire sync {one.file.name} has ended: {line}")
        if time.monotonic() > end:
            raise DemoError(f"{one.format} is not at the last watermark after {SECONDS} s; see {one.log}")
        time.sleep(0.2)


@contextmanager
def quiet(log: Path) -> Iterator[None]:
    """What Java writes to stderr goes into a file."""
    kept = os.dup(2)
    with log.open("ab") as out:
        os.dup2(out.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def compared(states: Sequence[str], out: Path, shop: Shop, console: Console) -> bool:
    """Shows each published version beside the shop, and the tables at the end."""
    from tidewire.spark import local_session
    from tidewire.spark.sync import jars
    from tidewire.spark.sync.publish import Published, snapshot, time_of

    conf = {
        **jars.settings(FORMATS),
        **jars.iceberg_catalog("lake", str(out / "iceberg")),
        "spark.driver.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=160m",
        "spark.sql.shuffle.partitions": "1",
        "spark.databricks.delta.snapshotPartitions": "1",
    }
    spark = local_session("tidewire demo", conf=conf)
    good = True
    try:
        for state in states:
            table = Table("R (UTC)", "accounts", "orders", "sum", "till", "", title=f"{Path(state).stem}: published")
            for resolved in Published(state).resolved():
                found = figures(spark, state, resolved)
                true = expected(shop, resolved)
                good &= found == true
                mark = "[green]✓[/]" if found == true else f"[red]not {true}[/]"
                table.add_row(time_of(resolved)[11:19], *found, mark)
            console.print(table)
        console.print("sum: of all balances. till: of it, what the orders lack.\n", style="dim")
        last = snapshot(spark, states[0])
        for name in last:
            last[name].createOrReplaceTempView("shown")
            rows = spark.sql("select * from shown order by id limit 3").collect()
            console.print(f"[bold]{name}[/] {last[name].count():,} rows, such as")
            for row in rows:
                console.print(escape("  " + ", ".join(f"{one}={row[one]}" for one in row.asDict())), overflow="fold")
        for state in states:
            newest = snapshot(spark, state)
            wrong = [f"{name} waits: {why}" for name, why in newest.parked.items()]
            wrong += differences(newest, shop, newest.resolved)
            good &= not wrong
            console.print(
                f"{Path(state).stem} at R={newest.resolved}: "
                + ("[green]every row is the shop's[/]" if not wrong else f"[red]{escape(wrong[0])}[/]")
            )
    finally:
        spark.stop()
    return good


def figures(spark: SparkSession, state: str, resolved: int) -> tuple[str, ...]:
    """Of a published version: rows of two tables, what accounts add up to, and what the till lacks."""
    from tidewire.spark.sync.publish import snapshot

    snapshot(spark, state, resolved).create_views()
    row = spark.sql(
        f"""select (select count(*) from shop_accounts), (select count(*) from shop_orders),
                   (select sum(balance) from shop_accounts),
                   (select coalesce(sum(amount), 0) from shop_orders)
                     - (select balance from shop_accounts where id = {TILL})"""
    ).collect()[0]
    return f"{row[0]:,}", f"{row[1]:,}", f"{row[2]:.2f}", f"{row[3]:.2f}"


def expected(shop: Shop, resolved: int) -> tuple[str, ...]:
    """The same of the shop."""
    true = shop.at(resolved)
    accounts, orders = (len(true.tables[name].rows) for name in ("accounts", "orders"))
    return f"{accounts:,}", f"{orders:,}", f"{true.balances():.2f}", f"{true.missing():.2f}"


if __name__ == "__main__":
    sys.exit(main())
