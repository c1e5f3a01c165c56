"""The figures of live tables: the page has those of the last run, and the workload is what it says."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.live import report, run
from benchmarks.live.workload import PARTITIONS, Workload
from tidewire import canal_json
from tidewire.events import RowChange, Watermark

ROOT = Path(__file__).resolve().parent.parent


def test_the_page_has_the_figures_of_the_last_run() -> None:
    found = json.loads(run.RESULTS.read_text())
    page = run.PAGE.read_text(encoding="utf-8")
    assert page == report.replaced(page, found)
    assert not found["quick"]
    assert found["wrong"] == []


def test_the_messages_of_the_workload_are_what_its_tables_come_from() -> None:
    work = Workload(5_000, 3)
    records = list(work.records())
    assert {one.partition for one in records} == set(range(PARTITIONS))
    sizes = [len(one.value or b"") for one in records]
    assert 680 < sum(sizes) / len(sizes) < 700
    events = list(canal_json.decode_batch([one.value for one in records]))
    tables: dict[str, dict[int, object]] = {name: {} for name in work.names}
    rows = sorted((one for one in events if isinstance(one, RowChange)), key=lambda one: one.commit_ts or 0)
    assert len(rows) == 5_000
    for one in rows:
        of = tables[one.table or ""]
        if one.new is not None:
            of[one.new["id"]] = one.new["seq"]
        else:
            assert one.old is not None
            del of[one.old["id"]]
    assert {name: len(of) for name, of in tables.items()} == {name: one[0] for name, one in work.figures().items()}
    assert max(one.commit_ts or 0 for one in events if isinstance(one, Watermark)) == work.resolved
