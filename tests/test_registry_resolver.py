"""Schemas are asked for once, failures are forgotten again, and saved files stand for a registry."""

from __future__ import annotations

import json
import os
import pickle
import stat
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import fastavro
import pytest
import recorded
from registry_server import reply, serving

from tidewire.messages import registry
from tidewire.messages.registry import (
    RegisteredSchema,
    RegistryClient,
    RegistrySettings,
    SavedSchemas,
    SchemaRefusedError,
    SchemaResolver,
    SchemaUnavailableError,
    UnknownSchemaError,
    save_schemas,
    shared_resolver,
    snapshot,
)

TEXT = '{"type":"record","name":"t","fields":[]}'
GLUE = uuid.UUID("b7b4a7f0-9c96-4e4a-a687-fb5de9ef0c63")
SAVED = [RegisteredSchema(1, "t-key", 1, '"int"'), RegisteredSchema(GLUE, "t-value", 2, TEXT)]


def test_many_threads_ask_once() -> None:
    def late(handler: object) -> None:
        time.sleep(0.3)
        reply({"schema": TEXT})(handler)  # type: ignore[arg-type]

    with serving(late) as server:
        resolver = SchemaResolver(RegistrySettings((server.url,)))
        with ThreadPoolExecutor(32) as pool:
            assert set(pool.map(resolver.schema, [5] * 200)) == {TEXT}
    assert server.asked == ["GET /schemas/ids/5"]
    # known for good, the registry being gone
    assert resolver.schema(5) == TEXT


def test_many_threads_fail_once_and_a_failure_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(registry.resolver, "time", SimpleNamespace(monotonic=lambda: now))
    unknown = reply({"error_code": 40403, "message": "none"}, 404)
    with serving(unknown, reply({"schema": TEXT})) as server:
        schemas = SchemaResolver(RegistrySettings((server.url,), failure_seconds=0.5))

        def fails(_: int) -> bool:
            with pytest.raises(UnknownSchemaError):
                schemas.schema(5)
            return True

        with ThreadPoolExecutor(8) as pool:
            assert all(pool.map(fails, range(50)))
        assert len(server.asked) == 1
        now = 0.6
        assert schemas.schema(5) == TEXT


def test_a_schema_is_registered_once() -> None:
    with serving(reply({"id": 3})) as server:
        resolver = SchemaResolver(RegistrySettings((server.url,)))
        assert [resolver.id_of("t-value", TEXT) for _ in range(3)] == [3, 3, 3]
    assert len(server.asked) == 1


def test_resolvers_are_shared_in_a_process_and_found_again_where_they_are_sent() -> None:
    with serving(reply({"schema": TEXT})) as server:
        settings = RegistrySettings((server.url,), password="p", user="u")
        resolver = shared_resolver(settings)
        assert resolver.schema(1) == TEXT
        assert shared_resolver(pickle.loads(pickle.dumps(settings))) is resolver
        assert pickle.loads(pickle.dumps(resolver)) is resolver
    assert len(server.asked) == 1


def test_a_forked_process_has_resolvers_of_its_own() -> None:
    settings = RegistrySettings(("http://127.0.0.1:1",))
    resolver = shared_resolver(settings)
    child = os.fork()
    if child == 0:
        os._exit(0 if shared_resolver(settings) is not resolver else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_errors_survive_pickling() -> None:
    for kind in (UnknownSchemaError, SchemaUnavailableError, SchemaRefusedError):
        error = kind("schema 1", "http://a", "why")
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again), again.where) == (kind, "schema 1 (http://a): why", "http://a")


def test_what_is_saved_is_read(tmp_path: Path) -> None:
    path = tmp_path / "topic.registry.json"
    save_schemas(str(path), SAVED)
    assert SavedSchemas(str(path)).schemas == SAVED
    resolver = SchemaResolver(RegistrySettings(file=str(path)))
    assert [resolver.schema(1), resolver.schema(GLUE), resolver.id_of("t-key", '"int"')] == ['"int"', TEXT, 1]
    with pytest.raises(UnknownSchemaError, match=r"schema 2 \(.*registry snapshot"):
        resolver.schema(2)


def test_recorded_registries_are_read_as_they_are_and_saved_again(tmp_path: Path) -> None:
    """What both producers registered: every schema by its id, and by its subject and text."""
    read = 0
    for path in recorded.registries():
        entries = json.loads(path.read_text("utf-8"))
        resolver = SchemaResolver(RegistrySettings(file=str(path)))
        for one in entries:
            text = resolver.schema(one["id"])
            assert (text, resolver.id_of(one["subject"], text)) == (one["schema"], one["id"])
            assert fastavro.parse_schema(json.loads(text))
            read += 1
        again = tmp_path / path.name
        save_schemas(str(again), SavedSchemas(str(path)).schemas)
        assert json.loads(again.read_text("utf-8")) == entries
    assert (len(recorded.registries()), read) == (210, 832)


def test_saved_files_can_be_read_by_others(tmp_path: Path) -> None:
    """By whoever may read the files that the process makes: executors may run as another user."""
    path, plain = tmp_path / "saved.json", tmp_path / "plain"
    save_schemas(str(path), SAVED)
    plain.touch()
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "saved.json"
    save_schemas(str(path), SAVED)
    before = path.read_bytes()
    with pytest.raises(TypeError, match="not JSON serializable"):
        # breaks when the first schema is written already
        save_schemas(str(path), [SAVED[0], SAVED[1]._replace(text=object())])  # type: ignore[arg-type]
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["saved.json"]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("", "the file is no JSON"),
        ("{}", "a list is expected"),
        ("[1]", r"entry 1 of the saved schemas .*an object is expected"),
        ('[{"id": 0, "schema": "1"}]', "`id` is not from 1 to"),
        ('[{"id": "x", "schema": "1"}]', "a number or a UUID"),
        ('[{"id": 1, "subject": "s", "version": 1}]', "`schema` is null"),
        (json.dumps([{"id": 1, "schema": '"int"'}, {"id": 1, "schema": '"long"'}]), "stands there before"),
    ],
)
def test_files_that_are_none_are_refused(content: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / "saved.json"
    path.write_text(content)
    with pytest.raises(SchemaUnavailableError, match=text):
        SavedSchemas(str(path))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    resolver = SchemaResolver(RegistrySettings(file=str(tmp_path / "none.json")))
    with pytest.raises(SchemaUnavailableError, match="No such file"):
        resolver.schema(1)


def test_a_snapshot_has_all_versions_of_all_subjects() -> None:
    def version(subject: str, number: int, id: int) -> object:
        return {"subject": subject, "version": number, "id": id, "schema": TEXT}

    replies = (["t", "s"], [1], version("s", 1, 4), [2, 1], version("t", 1, 5), version("t", 2, 6))
    with serving(*(reply(one) for one in replies)) as server:
        found = snapshot(RegistryClient(RegistrySettings((server.url,))))
    assert [(one.subject, one.version, one.id) for one in found] == [("s", 1, 4), ("t", 1, 5), ("t", 2, 6)]
