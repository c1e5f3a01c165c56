"""`tidewire sync` on a full disk of a few MB: one sentence, nothing half-written, and a restart continues."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.whole
CAPTURE = Path(__file__).parents[2] / "examples/canal_json_topic.jsonl.gz"


def on_a_small_disk(folder: Path, where: str) -> dict[str, Any]:
    """What the command said on a disk that has room for the state and the tables, or for the tables alone."""
    folder.mkdir()
    apart = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--user", "--map-root-user"])]
    done = subprocess.run(
        [*apart, sys.executable, "-m", "sync.small_disk", str(folder), str(CAPTURE), where],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(one for one in sys.path if one)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found: dict[str, Any] = json.loads(done.stdout)
    return found


_LATER = "and start again; what was done counts, and the rest is done then"
SENTENCES = {
    "state": (
        f"(No space left on device): make room or give access, {_LATER}",
        f"(No space left on device): make room, {_LATER}",
    ),
    "tables": (f"(No space left on device): make room for tables, the state and temporary files of Spark, {_LATER}",),
}
"""What is said, by what is on the disk: of the state it is a staged file or a manifest that finds no room."""


def test_a_full_disk_is_one_sentence_and_it_goes_on_when_there_is_room(tmp_path: Path) -> None:
    every = {where: on_a_small_disk(tmp_path / where, where) for where in ("state", "tables")}
    for where, found in every.items():
        full, room = found["full"], found["room"]
        assert full["code"] == 2
        *before, last = full["err"].strip().splitlines()
        assert last.startswith("tidewire: ")
        assert any(sentence in last for sentence in SENTENCES[where]), last
        # what Spark says when it starts, and nothing else
        assert not any(sign in line for line in before for sign in ("Traceback", "Exception", "\tat ", "tidewire:"))
        # a manifest is there or not, and nothing was published
        status = json.loads(found["status"])
        assert (status["batches"], status["published"]) == (0 if where == "state" else 1, 0)
        assert room["code"] == 0, room["err"][-2000:]
        assert "published: 2026-11-21 01:41:25 UTC" in room["out"]
    assert every["state"]["rows"] == every["tables"]["rows"]
    assert sum(every["state"]["rows"].values()) > 5
