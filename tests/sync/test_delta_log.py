"""Positions of Delta tables, read in their logs without Spark."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

from tidewire.spark.sync.changelog import Position
from tidewire.spark.sync.storage import storage
from tidewire.spark.sync.targets.delta_log import LOG, OWNER, TWICE, last_position, lines_in, newest_in

MINE = "sync/7"


def _txn(identifier: str, version: int) -> dict[str, Any]:
    return {"txn": {"appId": identifier, "version": version}}


def _described(owner: str) -> dict[str, Any]:
    return {"metaData": {"configuration": {OWNER: owner}}}


def _found(tmp: Path, *commits: list[dict[str, Any]] | None, most: int = 20) -> Position | None:
    """The position in a log of these commits; None in place of one that is not there any more."""
    (tmp / LOG).mkdir(exist_ok=True)
    for one in (tmp / LOG).iterdir():
        one.unlink()
    for version, actions in enumerate(commits):
        if actions is not None:
            text = "\n".join(json.dumps(one, separators=(",", ":")) for one in actions)
            (tmp / LOG / f"{version:020d}.json").write_text(text)
    (tmp / LOG / "00000000000000000000.checkpoint.parquet").write_text("")
    files = storage(str(tmp))
    assert newest_in(files) == max((at for at, one in enumerate(commits) if one is not None), default=-1)
    return last_position(partial(lines_in, files), MINE, newest_in(files), most)


def test_it_is_that_of_the_newest_commit_that_has_one(tmp_path: Path) -> None:
    made = [_described(MINE), _txn(MINE, 10)]
    assert _found(tmp_path) is None
    assert _found(tmp_path, made) == Position(10)
    assert _found(tmp_path, made, [_txn(f"{MINE}#2", 20)]) == Position(20, 2)
    others = [_txn("sync/77", 90), _txn("another", 91), _txn(MINE + TWICE, 92)]
    assert _found(tmp_path, made, others, [{"add": {"path": "f"}}], [_described(MINE)]) == Position(10)


def test_it_is_left_to_spark_where_these_commits_do_not_tell(tmp_path: Path) -> None:
    made = [_described(MINE), _txn(MINE, 10)]
    assert _found(tmp_path, made, [_described("sync/8"), _txn("sync/8", 20)]) is None
    assert _found(tmp_path, made, None, [{"add": {"path": "f"}}]) is None
    assert _found(tmp_path, made, *[[{"add": {"path": "f"}}]] * 20) is None
    assert _found(tmp_path, made, *[[{"add": {"path": "f"}}]] * 20, most=21) == Position(10)
