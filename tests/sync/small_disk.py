"""`tidewire sync` on a nearly full disk, in its own mount namespace."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from pyarrow import parquet

ROOM = 24 << 20
"""Bytes of the disk."""
FREE = 48 << 10
"""Bytes of it that are free while there is no room."""
_FILE = """\
source: {{protocol: canal-json, files: {capture}, timezone: Asia/Shanghai}}
into: {{format: parquet, table: "{lake}/{{schema}}/{{table}}"}}
tables: {{"test.*": {{}}, "test.k_*": skip, "test.p": skip}}
state: {state}
"""


def run(file: Path) -> dict[str, Any]:
    """The command, and what it said."""
    done = subprocess.run(
        [sys.executable, "-m", "tidewire.cli", "sync", str(file), "--once"], capture_output=True, text=True, check=False
    )
    return {"code": done.returncode, "out": done.stdout, "err": done.stderr}


def main(folder: Path, capture: str, where: str) -> None:
    """Mounts the disk, fills it, runs, makes room, runs again, and prints what was said, and what was there between."""
    disk = folder / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={ROOM}", "tmpfs", str(disk)], check=True)
    state, lake = disk / "state", disk / "lake"
    if where == "tables":
        state = folder / "state"
    file = folder / "sync.yaml"
    file.write_text(_FILE.format(capture=capture, lake=lake, state=state))
    ballast = disk / "ballast"
    with ballast.open("wb") as filled:
        filled.write(b"\0" * (ROOM - FREE))
    full = run(file)
    ballast.unlink()
    status = subprocess.run(
        [sys.executable, "-m", "tidewire.cli", "sync", "status", str(file), "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    room = run(file)
    print(json.dumps({"full": full, "status": status.stdout, "room": room, "rows": rows(lake)}))


def rows(lake: Path) -> dict[str, int]:
    """How many rows each table has by its newest commit."""
    found = {}
    for table in lake.glob("*/*"):
        newest = max((table / "commits").glob("*.json"))
        files = json.loads(newest.read_text())["files"]
        found[table.name] = sum(parquet.read_metadata(table / one).num_rows for one in files)
    return found


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
