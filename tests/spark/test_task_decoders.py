"""Decoders that a worker's process keeps from task to task."""

from __future__ import annotations

import pytest

from tidewire.spark.known_tables import task_decoder
from tidewire.spark.options import read_options

OPTIONS = read_options("canal-json", {}, "UTC")


def test_the_next_task_has_the_decoder_of_the_last_one() -> None:
    with task_decoder("canal-json", OPTIONS, None) as (first, known):
        assert known is None
        with task_decoder("canal-json", OPTIONS, None) as (other, _):
            assert other is not first
    with task_decoder("canal-json", read_options("canal-json", {"table": "shop.orders"}, "UTC"), None) as (another, _):
        assert another not in (first, other)
    with task_decoder("canal-json", OPTIONS, None) as (last, _):
        assert last in (first, other)


def test_no_task_has_one_that_failed() -> None:
    with pytest.raises(KeyError), task_decoder("canal-json", OPTIONS, None) as (failed, _):
        raise KeyError
    with task_decoder("canal-json", OPTIONS, None) as (last, _):
        assert last is not failed


def test_descriptions_of_tables_are_of_one_task() -> None:
    options = read_options("simple", {}, "UTC")
    with task_decoder("simple", options, None) as (first, known):
        assert known is not None
    with task_decoder("simple", options, None) as (other, fresh):
        assert other is not first
        assert fresh is not known
