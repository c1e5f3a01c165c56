"""Time is linear: four times the input takes about four times as long, for every dimension of the input."""

from __future__ import annotations

import json
import time

import pytest
from fuzz.growth import CASES, Growth
from timed import fastest

import tidewire
import tidewire.runtime
from tidewire.messages.detecting.reencode_check import MOST_WRITTEN

pytestmark = [pytest.mark.codec, pytest.mark.once]

SIZE = 4096 if tidewire.runtime.compiled else 512


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_time_grows_with_the_size(case: Growth) -> None:
    """Linear is 4 and quadratic 16; CPU time of the fastest of several runs, with room."""
    size = SIZE // case.share
    small, large = (fastest(case.made(count), 3) for count in (size, 4 * size))
    assert large < 9 * max(small, 500e-6)


def wide(count: int) -> bytes:
    names = [f"c{k}" for k in range(count)]
    said = {
        "id": 0, "database": "s", "table": "t", "pkNames": ["c0"], "isDdl": False, "type": "INSERT", "es": 1, "ts": 1,
        "sql": "", "sqlType": dict.fromkeys(names, 3), "mysqlType": dict.fromkeys(names, "decimal(20,3)"),
        "data": [dict.fromkeys(names, "1")], "old": None,
    }  # fmt: skip
    return json.dumps(said, separators=(",", ":")).encode()


def test_what_is_encoded_again_to_tell_a_producer_is_bounded() -> None:
    few, many = wide(10), wide(MOST_WRITTEN // 1000)
    assert "3 of 3 messages come out the same" in " ".join(tidewire.detect([few] * 3).evidence)
    found = tidewire.detect([many])
    assert (found.protocol, found.certainty, found.producers) == ("canal-json", "sure", ())
    assert "no message is encoded again, which would tell producer and options" in " ".join(found.evidence)
    assert "2 of 2 messages come out the same" in " ".join(tidewire.detect([many, few, many, few]).evidence)
    start = time.process_time()
    tidewire.detect([many] * 4)
    assert time.process_time() - start < (5e-6 if tidewire.runtime.compiled else 200e-6) * 4 * len(many) + 1
