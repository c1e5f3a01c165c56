"""`tidewire registry`: requests, output, saved files, and errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import tidewire
from registry_server import reply, serving

from tidewire.messages.registry import SavedSchemas

VERSION = {"subject": "t-value", "version": 1, "id": 4, "schema": '"int"'}


def test_a_snapshot_is_saved(tmp_path: Path) -> None:
    path = tmp_path / "saved.json"
    with serving(reply(["t-value"]), reply([1]), reply(VERSION)) as server:
        result = tidewire("registry", "snapshot", path, "--registry", server.url, "--token", "s3cret")
    assert (result.exit_code, result.stderr.count("1 schema of 1 subject")) == (0, 1), result.output
    assert SavedSchemas(str(path)).schema(4) == '"int"'
    assert server.headers[0]["authorization"] == "Bearer s3cret"


def test_what_fails_leaves_the_file_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "saved.json"
    path.write_text("before")
    with serving(reply({"error_code": 40301, "message": "no right for s3cret"}, 403)) as server:
        result = tidewire("registry", "snapshot", path, "--registry", server.url.replace("//", "//me:s3cret@"))
    assert result.exit_code != 0
    assert "403: 'no right for ***'" in result.stderr
    assert "s3cret" not in result.output
    assert path.read_text() == "before"


def test_a_wrong_action_or_place(tmp_path: Path) -> None:
    result = tidewire("registry", "copy", "a", "--registry", "http://127.0.0.1:1")
    assert (result.exit_code, "No such command 'copy'" in result.stderr) == (2, True)
    with serving(reply([])) as server:
        result = tidewire("registry", "snapshot", tmp_path / "no" / "file", "--registry", server.url)
    assert "cannot be written: No such file or directory" in result.stderr


def test_a_schema_is_registered_and_its_id_printed(tmp_path: Path) -> None:
    path = tmp_path / "schema.avsc"
    path.write_text('\n{"type": "int"}\n')
    with serving(reply({"id": 7})) as server:
        for source, typed in ((path, ""), ("-", path.read_text())):
            result = tidewire("registry", "register", "a/b-value", source, "--registry", server.url, stdin=typed)
            assert (result.exit_code, result.stdout) == (0, "7\n"), result.output
    assert server.asked == ["POST /subjects/a%2Fb-value/versions"] * 2
    assert [json.loads(body) for body in server.bodies] == [{"schema": '{"type": "int"}'}] * 2


def test_a_saved_file_stands_for_a_registry(tmp_path: Path) -> None:
    saved, schema = tmp_path / "topic.registry.json", tmp_path / "schema.avsc"
    for text, id in (('"int"', "1"), ('"long"', "2"), ('"int"', "1")):
        schema.write_text(text)
        result = tidewire("registry", "register", "t-value", schema, "--registry", saved)
        assert (result.exit_code, result.stdout.strip()) == (0, id), result.output
    for arguments, text in (
        (["t-value"], '"long"\n'),
        (["t-value", "--version", "1"], '"int"\n'),
        (["--id", "2"], '"long"\n'),
    ):
        result = tidewire("registry", "show", *arguments, "--registry", saved)
        assert (result.exit_code, result.stdout) == (0, text), result.output
    result = tidewire("registry", "show", "t-value", "--registry", saved)
    assert result.stderr == "tidewire: t-value, version 2, has id 2\n"


def test_a_schema_of_a_registry_is_shown_as_it_is_registered() -> None:
    text = '{"type" :"record","name":"t","fields":[]}'
    with serving(reply(VERSION | {"schema": text})) as server:
        result = tidewire("registry", "show", "t-value", "--version", "1", "--registry", server.url)
        assert (result.exit_code, result.stdout) == (0, text + "\n"), result.output
        several = ("--registry", "http://127.0.0.1:1", "--registry", server.url)
        assert tidewire("registry", "show", "--id", "4", *several).stdout == text + "\n"
    assert server.asked == ["GET /subjects/t-value/versions/1", "GET /schemas/ids/4"]


def test_what_a_terminal_would_obey_is_escaped() -> None:
    hostile = '{"type": "int", "doc": "\x7f\u202e"}'
    with serving(reply(VERSION | {"schema": hostile, "subject": "t\u202e"})) as server:
        result = tidewire("registry", "show", "t\u202e", "--registry", server.url)
    assert "\u202e" not in result.output
    assert json.loads(result.stdout) == json.loads(hostile)
    with serving(reply({"is_compatible": False, "messages": ["a\x1b[2J"]})) as server:
        result = tidewire("registry", "check", "t", "-", "--registry", server.url, stdin='"int"')
    assert "- a\\u001b[2J" in result.stdout


def test_compatibility_is_told_by_words_and_by_the_exit_code() -> None:
    asked = ("registry", "check", "t-value", "-", "--version", "3", "--registry")
    with serving(reply({"is_compatible": True})) as server:
        result = tidewire(*asked, server.url, stdin='"int"')
    assert (result.exit_code, result.stdout) == (0, "compatible with t-value, version 3\n")
    assert server.asked == ["POST /compatibility/subjects/t-value/versions/3?verbose=true"]
    with serving(reply({"is_compatible": False, "messages": ["a type differs"]})) as server:
        result = tidewire(*asked, server.url, stdin='"int"')
    assert (result.exit_code, result.stdout) == (1, "not compatible with t-value, version 3\n- a type differs\n")
    assert result.stderr == ""
    with serving(reply({"is_compatible": False})) as server:
        result = tidewire(*asked, server.url, stdin='"int"')
    assert (result.exit_code, result.stderr) == (1, "tidewire: the registry gives no reasons; its log may have them\n")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["register", "t", "FILE", "--registry", "me:s3cret@registry:8081"], "neither http:// nor https://"),
        (["register", "t", "/no/such", "--registry", "http://127.0.0.1:1"], "/no/such: No such file or directory"),
        (["register", "t", "FILE", "--registry", "a", "--registry", "b"], "several have to be URLs of one registry"),
        (["register", "t", "FILE", "--registry", "http://127.0.0.1:1", "--deadline", "0.05"], "no answer: "),
        (["register", "t", "-", "--registry", "http://127.0.0.1:1"], "standard input is no JSON"),
        (["check", "t", "FILE", "--registry", "FILE"], "is a file: give the URL of one"),
        (["check", "t", "FILE", "--registry", "http://127.0.0.1:1", "--version", "new"], "a number from 1, or latest"),
        (["snapshot", "a", "--registry", "FILE"], "registry snapshot asks a registry"),
        (["show", "--registry", "FILE"], "give a subject, or --id"),
        (["show", "t", "--id", "4", "--registry", "FILE"], "give a subject, or --id"),
        (["show", "t", "--registry", "FILE"], "it is a number; an object is expected"),
        (["show", "--id", "9" * 5000, "--registry", "FILE"], "it is a number; an object is expected"),
        (["show", "--id", "x", "--registry", "http://127.0.0.1:1"], "ids are numbers, or UUIDs such as"),
        (["show", "t", "--registry", "/no/such"], "No such file or directory"),
    ],
)
def test_what_cannot_be_is_said(arguments: list[str], text: str, tmp_path: Path) -> None:
    path = tmp_path / "schema.avsc"
    path.write_text("[5]")
    given = [str(path) if one == "FILE" else one for one in arguments]
    result = tidewire("registry", *given, stdin="no JSON")
    assert result.exit_code == 2
    assert text in result.stderr
    assert result.stderr.count("\n") == 1
    assert "s3cret" not in result.output


@pytest.mark.parametrize("action", ["", "snapshot", "register", "check", "show"])
def test_help_fits_a_narrow_terminal(action: str) -> None:
    result = tidewire("registry", *action.split(), "--help", width=60)
    assert result.exit_code == 0
    assert max(map(len, result.stdout.splitlines())) <= 60
    if action:
        for option in ("--registry", "--password", "--token", "--certificate", "--deadline"):
            assert f"{option} " in result.stdout
    else:
        # where lines are wide, each option names its own
        assert "TIDEWIRE_REGISTRY_PASSWORD" in result.stdout
        assert "TIDEWIRE_REGISTRY_TOKEN" in result.stdout
