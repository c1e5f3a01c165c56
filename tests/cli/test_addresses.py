"""URLs in place of file paths are refused, and no command shows their secrets."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import tidewire

SECRET = "Geheim4711"
COMMANDS = [
    ("decode",),
    ("decode", "debezium"),
    ("detect",),
    ("dissect", "debezium"),
    ("encode", "craft"),
    ("transcode", "craft", "simple"),
    ("schema", "table"),
    ("conform",),
    ("registry", "check", "--registry", "http://127.0.0.1:1", "s"),
    ("registry", "register", "--registry", "http://127.0.0.1:1", "s"),
]
ADDRESSES = [
    f"http://bob:{SECRET}@h/x?token={SECRET}",
    f"http:/bob:{SECRET}@h/x;token={SECRET}",
    f"s3://bucket/x?token={SECRET}",
]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address_is_no_file(command: tuple[str, ...], address: str) -> None:
    result = tidewire(*command, address)
    assert result.exit_code == 2
    assert SECRET not in result.output
    assert "***" in result.stderr
    if command != ("conform",):
        assert "is an address, and the path of a file is expected" in result.stderr


def test_what_looks_like_an_address_is_a_file_where_there_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("http:").mkdir()
    Path("http:/x").write_text("")
    assert "is an address" not in tidewire("detect", "http:/x").output


@pytest.mark.parametrize("path", [f"bob:{SECRET}@h", f"x?token={SECRET}", f"x;token={SECRET}"])
def test_a_file_that_is_not_there_is_named_without_secrets(path: str) -> None:
    result = tidewire("decode", "craft", path)
    assert result.exit_code == 2
    assert SECRET not in result.output
    assert "No such file or directory" in result.stderr
    assert SECRET not in tidewire("decode", "craft", "--hex", "00", "--errors", f"http://{path}/x").output


@pytest.mark.parametrize(
    "where",
    [
        f"http://127.0.0.1:1/,http:/bob:{SECRET}@h",
        f"http://127.0.0.1:1,bob:{SECRET}@h",
        f"http://127.0.0.1:1/x;token={SECRET}",
        f"x.json;token={SECRET}",
    ],
)
def test_a_list_of_registries_that_is_none_is_refused_when_it_is_given(where: str) -> None:
    result = tidewire("decode", "avro", "--hex", "000000000102", "-o", f"schema-registry={where}")
    assert result.exit_code == 2
    assert SECRET not in result.output
    assert "registry" in result.stderr
