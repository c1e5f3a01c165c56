"""Options: case-insensitive names, validated values, and errors that list the valid ones."""

from __future__ import annotations

import pickle

import pytest

from tidewire.reading.options import ReadOptions, check_timezone
from tidewire.runtime.errors import OptionError
from tidewire.spark.options import read_options, write_options


def test_defaults_and_names_in_any_case() -> None:
    assert read_options("craft", None, "Asia/Tokyo") == ReadOptions(timezone="Asia/Tokyo")
    given = {
        "MODE": "failfast",
        "columnnameofcorruptrecord": "bad",
        "timeZone": "+08:00",
        "ZeroDate": "STRING",
        "time": "interval",
        "invalidText": "replace",
        "max_batch_size": 4,
    }
    assert read_options("craft", given, "UTC") == ReadOptions(
        mode="FAILFAST",
        corrupt_column="bad",
        timezone="+08:00",
        zoned=True,
        zero_date="string",
        time="interval",
        codec=(("invalid-text", "replace"), ("max-batch-size", "4")),
    )


def test_the_protocols_own_options_are_checked_here() -> None:
    options = write_options("craft", {"delete-only-output-handle-key-columns": True, "topic": "t", "messages": "KEEP"})
    assert (options.topic, options.messages) == ("t", "keep")
    assert options.codec == (("delete-only-output-handle-key-columns", "true"),)
    with pytest.raises(OptionError, match="max-batch-size is an integer from 1"):
        write_options("craft", {"max-batch-size": "many"})


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"mod": "x"}, "'mod' is no option to read craft with: did you mean mode. There are: mode, columnName"),
        ({"topic": "x"}, "'topic' is no option to read craft with"),
        ({"mode": "strict"}, "option mode is one of PERMISSIVE, DROPMALFORMED, FAILFAST, not 'strict'"),
        ({"zeroDate": "skip"}, "option zeroDate is one of null, error, string, not 'skip'"),
        ({"timezone": "Nowhere/Town"}, "timezone 'Nowhere/Town' is not known.* an IANA name such as Asia/Shanghai"),
        ({"mode": "FAILFAST", "Mode": "FAILFAST"}, "option mode is given twice"),
        ({"max-batch-size": 1, "max_batch_size": 1}, "option max-batch-size is given twice"),
    ],
)
def test_what_is_refused(options: dict[str, object], sentence: str) -> None:
    with pytest.raises(OptionError, match=sentence):
        read_options("craft", options, "UTC")


def test_protocols_that_are_not_there() -> None:
    with pytest.raises(OptionError, match="no protocol is called 'krafft'; did you mean craft"):
        read_options("krafft", None, "UTC")
    with pytest.raises(OptionError, match="no protocol is called 'avros'; did you mean avro"):
        write_options("avros", None)


def test_they_travel() -> None:
    options = read_options("craft", {"mode": "FAILFAST"}, "UTC")
    assert pickle.loads(pickle.dumps(options)) == options


@pytest.mark.parametrize("name", ["UTC", "Etc/UTC", "+05:30", "America/New_York"])
def test_time_zones_that_are_known(name: str) -> None:
    check_timezone(name)
