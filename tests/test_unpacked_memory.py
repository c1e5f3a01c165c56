"""What messages become, fetched and decompressed, has one limit, and so has the memory that it takes.

Memory is the most that a process held, in Python, Arrow and C, above what it held after a first message.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tidewire import canal_json, craft
from tidewire.canal_json import Decoder, Options
from tidewire.messages.delivery.claims import ClaimFiles, wrap
from tidewire.messages.delivery.compression import compress
from tidewire.messages.options import MAX_UNPACKED_BYTES

MEGA = 1 << 20
LIMIT = 32 * MEGA
MOST_HELD = 6 * LIMIT
"""Most memory: the columns, those of the part before, a piece of text and a file in its wrapping."""


def insert(row_id: int, body: int | None = None, location: str | None = None) -> bytes:
    """A row with a text of so many bytes, or one that points to a file."""
    row = {"id": str(row_id)} | ({} if body is None else {"body": "x" * body})
    extension: dict[str, Any] = {"commitTs": 1} | ({} if location is None else {"claimCheckLocation": location})
    value = {
        "id": 0, "database": "s", "table": "t", "pkNames": ["id"], "isDdl": False, "type": "INSERT", "es": 1, "ts": 1,
        "sql": "", "sqlType": {}, "mysqlType": {"id": "int"} | ({} if body is None else {"body": "longtext"}),
        "data": [row], "old": None, "_tidb": extension,
    }  # fmt: skip
    return json.dumps(value).encode()


def files(directory: Path, count: int, size: int) -> list[bytes]:
    """Messages that point to files of their own."""
    for at in range(count):
        (directory / f"{at}.json").write_bytes(wrap(insert(at, size), None))
    return [insert(at, location=f"s3://b/{at}.json") for at in range(count)]


def bombs(name: str) -> list[bytes]:
    return [compress(name, insert(at, 8 * MEGA)) for at in range(25)]


def one_file(directory: Path) -> list[bytes]:
    files(directory, 1, 5 * MEGA)
    return [insert(0, location="s3://b/0.json")] * 60


def held(case: str, how: str, directory: Path) -> list[int]:
    """Bytes, events and errors of a case that is decoded in another process."""
    command = [sys.executable, "-m", "tests.test_unpacked_memory", case, how, str(directory)]
    root = Path(__file__).resolve().parents[1]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: list[int] = json.loads(done.stdout)
    return found


def measure(case: str, how: str, directory: Path) -> list[int]:
    options = Options(
        large_message_handle_compression=case if case in ("lz4", "snappy") else "none",
        claim_check=str(directory),
        max_unpacked_bytes=LIMIT,
    )
    values = (
        bombs(case) if case in ("lz4", "snappy") else one_file(directory) if case == "one file"
        else files(directory, 25, 8 * MEGA)
    )  # fmt: skip
    decoder = Decoder(options)
    # what a process holds beside, and what making the messages took
    decoder.decode(values[:1])
    start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    events = errors = 0
    for columns in [decoder.decode(values)] if how == "decode" else decoder.parts(values):
        events += columns.num_events
        errors += len(columns.errors)
    return [(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - start) * 1024, events, errors]


@pytest.mark.parametrize("case", ["lz4", "snappy", "files"])
def test_a_batch_is_bounded(case: str, tmp_path: Path) -> None:
    """200 MB in 25 messages: what fits is decoded, and the rest are errors."""
    held_bytes, events, errors = held(case, "decode", tmp_path)
    assert held_bytes < MOST_HELD
    assert events + errors == 25
    assert 2 <= events <= 4


@pytest.mark.parametrize("case", ["lz4", "snappy", "files"])
def test_a_large_batch_passes_in_parts(case: str, tmp_path: Path) -> None:
    held_bytes, events, errors = held(case, "parts", tmp_path)
    assert held_bytes < MOST_HELD
    assert (events, errors) == (25, 0)


@pytest.mark.parametrize("how", ["decode", "parts"])
def test_events_that_point_to_one_file_share_it(how: str, tmp_path: Path) -> None:
    """60 times 5 MB would be 300."""
    held_bytes, events, errors = held("one file", how, tmp_path)
    assert held_bytes < MOST_HELD
    assert (events, errors) == (60, 0)


def test_messages_over_the_limit_say_what_to_do_and_others_are_whole(tmp_path: Path) -> None:
    values = [insert(9), *files(tmp_path, 3, 1000), insert(10)]
    columns = Decoder(Options(claim_check=str(tmp_path), max_unpacked_bytes=4000)).decode(values)
    assert columns.events.column("message").to_pylist() == [0, 1, 2, 4]
    (error,) = columns.errors
    assert error.message == 3
    assert "decode fewer messages at once or set max-unpacked-bytes to more" in str(error)
    options = Options(large_message_handle_compression="snappy", max_unpacked_bytes=4000)
    values = [compress("snappy", value) for value in (insert(1), insert(2, 5000), insert(3))]
    columns = Decoder(options).decode(values)
    assert [error.message for error in columns.errors] == [1]
    assert columns.num_events == 2
    assert "set max-unpacked-bytes to more" in str(columns.errors[0])


def test_parts_number_messages_through(tmp_path: Path) -> None:
    pointers = files(tmp_path, 6, 1000)
    values = [None, *pointers[:3], b"no JSON", None, *pointers[3:], insert(7), insert(8, location="s3://b/none.json")]
    options = Options(claim_check=str(tmp_path), max_unpacked_bytes=4000)
    parts = list(Decoder(options).parts(pa.array(values, pa.binary())))
    assert len(parts) == 3
    whole = Decoder(Options(claim_check=str(tmp_path))).decode(values)
    assert [n for part in parts for n in part.events.column("message").to_pylist()] == (
        whole.events.column("message").to_pylist()
    )
    assert [str(error) for part in parts for error in part.errors] == [str(error) for error in whole.errors]
    assert [error.message for part in parts for error in part.errors] == [4, 10]
    assert [n for part in parts for n in part.tombstones] == whole.tombstones == [0, 5]


def test_a_message_that_is_too_long_alone_is_an_error_in_parts_too(tmp_path: Path) -> None:
    values = files(tmp_path, 3, 5000)
    (tmp_path / "1.json").write_bytes(wrap(insert(1, 10), None))
    parts = list(Decoder(Options(claim_check=str(tmp_path), max_unpacked_bytes=4000)).parts(values))
    assert [n for part in parts for n in part.events.column("message").to_pylist()] == [1]
    assert [error.message for part in parts for error in part.errors] == [0, 2]


def test_parts_of_nothing_and_of_plain_messages_are_one() -> None:
    for module in (canal_json, craft):
        (part,) = module.Decoder().parts([])
        assert (part.num_events, part.errors) == (0, [])
    (part,) = Decoder().parts([insert(1), insert(2)])
    assert part.num_events == 2


def test_a_row_that_a_message_points_to_is_one_row(tmp_path: Path) -> None:
    """A file with many rows, pointed to by many messages, would be their product."""
    value = json.loads(insert(0, 10))
    value["data"] *= 1000
    (tmp_path / "0.json").write_bytes(wrap(json.dumps(value).encode(), None))
    columns = Decoder(Options(claim_check=str(tmp_path))).decode([insert(0, location="s3://b/0.json")] * 5)
    assert columns.num_events == 0
    assert [error.message for error in columns.errors] == [0, 1, 2, 3, 4]
    assert "it has 1000 events instead of 1" in str(columns.errors[0])


def test_no_more_is_read_of_a_file_than_is_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the store says of its size."""
    storage = ClaimFiles("p", "claim-check", str(tmp_path), True)
    fetch = type(storage._storage).cat_file
    read: list[int] = []

    def counted(self: Any, path: str, **more: Any) -> Any:
        data = fetch(self, path, **more)
        read.append(len(data))
        return data

    monkeypatch.setattr(type(storage._storage), "cat_file", counted)
    with (tmp_path / "0.json").open("wb") as file:
        file.truncate(1 << 40)
    (error,) = (
        Decoder(Options(claim_check=str(tmp_path), max_unpacked_bytes=9000))
        .decode([insert(0, location="s3://b/0.json")])
        .errors
    )
    assert "it is too long" in str(error)
    assert max(read) <= 9001


def test_the_option_is_one_of_every_reader() -> None:
    assert Options().max_unpacked_bytes == MAX_UNPACKED_BYTES.default == 256 * MEGA
    assert Options.from_strings({"max-unpacked-bytes": "1000"}).max_unpacked_bytes == 1000


if __name__ == "__main__":
    sys.stdout.write(json.dumps(measure(sys.argv[1], sys.argv[2], Path(sys.argv[3]))))
