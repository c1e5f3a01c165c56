"""`tidewire registry snapshot`: what is saved is what the offline mode reads."""

from __future__ import annotations

from pathlib import Path

from commands import tidewire
from registry_server import reply, serving

from tidewire.runtime.registry import SavedSchemas

VERSION = {"subject": "t-value", "version": 1, "id": 4, "schema": '"int"'}


def test_a_snapshot_is_saved(tmp_path: Path) -> None:
    path = tmp_path / "saved.json"
    with serving(reply(["t-value"]), reply([1]), reply(VERSION)) as server:
        result = tidewire("registry", "snapshot", path, "--url", server.url, "--token", "s3cret")
    assert (result.exit_code, result.stderr.count("1 schema of 1 subject")) == (0, 1), result.output
    assert SavedSchemas(str(path)).schema(4) == '"int"'
    assert server.headers[0]["authorization"] == "Bearer s3cret"


def test_what_fails_leaves_the_file_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "saved.json"
    path.write_text("before")
    with serving(reply({"error_code": 40301, "message": "no right for s3cret"}, 403)) as server:
        result = tidewire("registry", "snapshot", path, "--url", server.url.replace("//", "//me:s3cret@"))
    assert result.exit_code != 0
    assert "403: 'no right for ***'" in result.stderr
    assert "s3cret" not in result.output
    assert path.read_text() == "before"


def test_a_wrong_action_or_place(tmp_path: Path) -> None:
    result = tidewire("registry", "copy", "a", "--url", "http://127.0.0.1:1")
    assert "registry cannot do 'copy'; it can snapshot" in result.stderr
    with serving(reply([])) as server:
        result = tidewire("registry", "snapshot", tmp_path / "no" / "file", "--url", server.url)
    assert "cannot be written: No such file or directory" in result.stderr
