"""Conformance runs over all recordings: they agree, and damaged ones do not."""

from __future__ import annotations

from pathlib import Path

import pytest
from avro.test_avro_recordings_agree import damaged, result

from .recordings import STREAMS, stream

pytestmark = pytest.mark.codec

REFUSED = {
    *("its name is", "18446744073709551615 is more", "9223372036854775808 is more"),
    "written, see virtual-columns-refused",
}
"""How the reasons begin for which we refuse what the producer refuses, and what we write of it."""
LOST = {"null-becomes-default", "no-calendar-date", "no-timestamp", "no-label"}


def test_all_recordings_agree() -> None:
    total = result(*STREAMS)
    assert total.findings == []
    assert total.agrees
    assert (total.streams, total.messages) == (78, 959)
    assert set(total.reasons) == LOST
    assert {" ".join(ours.split()[:3]) for _, ours in total.refused} == REFUSED
    assert sum(total.refused.values()) == 82
    assert (total.decoded.identical, total.reencoded.identical, total.from_truth.identical) == (923, 959, 959)


@pytest.mark.parametrize(
    ("scenario", "option_set", "before", "after"),
    [
        ("times", "tidb-extension", b"\x02c", b"\x02u"),  # what happened
        ("times", "default", b"T1", b"T2"),
        ("strings", "decimal-string", b"a", b"b"),
        ("integers", "default", b"\xff", b"\xfe"),
        ("ddl", "watermark", b"utf8mb4", b"utf8mb3"),
    ],
)
def test_values_that_were_damaged_do_not(
    tmp_path: Path, scenario: str, option_set: str, before: bytes, after: bytes
) -> None:
    found, changed = damaged(
        tmp_path, stream(scenario, option_set), lambda value: value[:5] + value[5:].replace(before, after)
    )
    assert changed > 0
    assert found.decoded.different + found.reencoded.different + found.from_truth.different >= changed
