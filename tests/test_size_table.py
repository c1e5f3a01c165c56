"""The size table of the Craft protocol's own document, reproduced by our encoder and by the benchmark's peers."""

from __future__ import annotations

import pytest

from benchmarks import sizes
from benchmarks.cases import in_batches, interleaved, recorded, recorded_message, synthetic
from benchmarks.peers import CANAL_JSON, CANAL_JSON_ANY, PEERS, check, open_json
from benchmarks.peers.avro import Avro


@pytest.mark.parametrize(
    ("codec", "case", "expected"),
    [
        ("json", 0, 708),
        ("json", 1, 2816),
        ("protobuf 1", 0, 382),
        ("protobuf 1", 1, 1528),
        ("protobuf 2", 0, 375),
        ("protobuf 2", 1, 1482),
    ],
)
def test_peers_take_the_documents_bytes(codec: str, case: int, expected: int) -> None:
    assert sizes.size(codec, case).raw == expected


@pytest.mark.codec
@pytest.mark.parametrize(("case", "expected"), [(0, 301), (1, 997)])
def test_craft_takes_the_released_formats_bytes(case: int, expected: int) -> None:
    assert sizes.size("craft", case).raw == expected


@pytest.mark.codec
@pytest.mark.parametrize("events", [1, 4, 64])
def test_the_measured_messages_are_those_that_ticdc_wrote(events: int) -> None:
    (message,) = sizes.craft_messages(recorded(events), max_message_bytes=1 << 20)
    assert message == (None, recorded_message(events))


@pytest.mark.parametrize(("events", "expected"), [(1, 723), (64, 46208)])
def test_open_json_takes_the_bytes_that_ticdc_was_measured_with(events: int, expected: int) -> None:
    (message,) = open_json.exact([recorded(events)])
    assert sum(len(part or b"") for part in message) == expected


@pytest.mark.parametrize("batch", [1, 16])
@pytest.mark.parametrize("peer_class", PEERS)
@pytest.mark.parametrize("kind", ["recorded", "synthetic", "interleaved"])
def test_peers_give_the_rows_back(kind: str, peer_class: type, batch: int) -> None:
    if kind == "interleaved" and peer_class is Avro:
        with pytest.raises(ValueError, match="the schema of one table; these rows are of 4"):
            Avro(interleaved(4, 32))
        return
    rows = {"recorded": recorded(64), "synthetic": synthetic(20, 32), "interleaved": interleaved(4, 32)}[kind]
    check(peer_class(rows), rows, list(in_batches(rows, batch)))


@pytest.mark.parametrize("peer_class", CANAL_JSON)
@pytest.mark.parametrize("kind", ["recorded", "inserts", "mixed"])
def test_readers_by_hand_give_the_rows_back(kind: str, peer_class: type) -> None:
    if kind == "mixed" and peer_class not in CANAL_JSON_ANY:
        with pytest.raises(ValueError, match="that of one table; these rows are of 4"):
            peer_class(interleaved(4, 32))
        return
    rows = {"recorded": recorded(64), "inserts": synthetic(40, 32, "insert"), "mixed": interleaved(4, 32)}[kind]
    check(peer_class(rows), rows, list(in_batches(rows, 1)))


def test_a_wrong_row_is_noticed() -> None:
    rows = recorded(16)
    peer = PEERS[0](rows)
    with pytest.raises(AssertionError, match="event 0 of its encode\\(\\) messages"):
        check(peer, list(reversed(rows)), list(in_batches(rows, 4)))
