"""The Kafka snippets of docs/live-tables.md."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from manual.pages import manual
from pyspark.sql import SparkSession

from demo.broker import Broker
from demo.changefeed import Changefeed
from demo.check import differences
from demo.shop import PARTS, Shop
from tidewire.cli.sync_file import read_sync_file
from tidewire.cli.sync_session import messages
from tidewire.spark.sync.publish import snapshot
from tidewire.spark.sync.run import Sync, sync

SERVERS = "localhost:9092"


@pytest.fixture
def shown(spark: SparkSession, a_broker: Broker, tmp_path: Path) -> Iterator[tuple[dict[str, str], Changefeed]]:
    """By language the blocks of the page that name a broker, with ours, and a topic of the page."""
    found = re.findall(r"^ +```(\w*)\n(.*?)^ +```", manual("live-tables").read_text(encoding="utf-8"), re.M | re.S)
    page = {language: dedent(text) for language, text in found if SERVERS in text}
    assert set(page) == {"yaml", ""}
    topic = f"page-{tmp_path.name}"
    names = {SERVERS: a_broker.servers, "/lake/": f"{tmp_path}/", "tidb-changes": topic}
    names["lake.{schema}"] = f"ice.{tmp_path.name}_{{schema}}"
    for name, value in names.items():
        page = {language: text.replace(name, value) for language, text in page.items()}
    shop = Shop(7, 450_000_000_000 * PARTS)
    feed = Changefeed(shop, a_broker, topic)
    shop.trade(20)
    feed.send()
    yield page, feed
    assert differences(snapshot(spark, f"{tmp_path}/_tidewire/shop"), shop, feed.resolved) == []


def test_the_file_of_the_page(spark: SparkSession, shown: tuple[dict[str, str], Changefeed], tmp_path: Path) -> None:
    page, feed = shown
    (tmp_path / "shop.yaml").write_text(page["yaml"])
    of = read_sync_file(str(tmp_path / "shop.yaml"))
    assert (of.every, of.warehouse) == ("10s", f"{tmp_path}/warehouse")
    found = sync(
        spark, messages(of), of.protocol, into=of.into, tables=of.tables, state=of.state, options=of.options
    ).once()
    assert (found.published, len(found.tables)) == (feed.resolved, 3)


def test_the_job_of_the_page(spark: SparkSession, shown: tuple[dict[str, str], Changefeed]) -> None:
    page, feed = shown
    names: dict[str, Any] = {"spark": spark}
    exec(page[""].replace("10 seconds", "0 seconds"), names)
    running = names["shop"]
    assert isinstance(running, Sync)
    while running.status().published < feed.resolved:
        assert not running.wait(1)
    running.stop()
