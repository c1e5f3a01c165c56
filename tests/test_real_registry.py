"""The client against a real registry, Apicurio's: what it takes and refuses, and what happens when it goes away."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from pathlib import Path

import fastavro
import pytest
import recorded
from commands import tidewire
from real_registry import RealRegistry

from tidewire.messages.registry import (
    IncompatibleSchemaError,
    InvalidSchemaError,
    RegisteredSchema,
    RegistryClient,
    RegistrySettings,
    SavedSchemas,
    SchemaResolver,
    SchemaUnavailableError,
    UnknownSchemaError,
    open_registry,
    save_schemas,
    snapshot,
)


def record(kind: str, name: str = "orders") -> str:
    """A schema, as this registry writes it."""
    return f'{{"type":"record","name":"{name}","fields":[{{"name":"id","type":"{kind}"}}]}}'


def client(registry: RealRegistry, **others: float) -> RegistryClient:
    return RegistryClient(RegistrySettings.of(registry.url, **({"deadline": 20.0, "retries": 3} | others)))


def test_what_is_registered_is_found_by_id_by_subject_and_by_version(a_registry: RealRegistry) -> None:
    ask = client(a_registry)
    subject = "of/all kinds äöü?#%-value"
    first, second = ask.register(subject, record("int")), ask.register(subject, record("long"))
    assert first != second
    assert ask.register(subject, record("int")) == first
    assert [ask.schema(first), ask.schema(second)] == [record("int"), record("long")]
    assert ask.version(subject, 1) == RegisteredSchema(first, subject, 1, record("int"))
    assert ask.version(subject) == RegisteredSchema(second, subject, 2, record("long"))
    assert ask.versions(subject) == [1, 2]
    assert subject in ask.subjects()


def test_what_it_does_not_know_is_said(a_registry: RealRegistry) -> None:
    ask = client(a_registry)
    ask.register("known-value", record("int"))
    for asked, what in (
        (lambda: ask.schema(987654), "schema 987654 "),
        (lambda: ask.version("unknown-value"), "subject unknown-value, version latest "),
        (lambda: ask.version("known-value", 9), "subject known-value, version 9 "),
        (lambda: ask.versions("unknown-value"), "subject unknown-value "),
    ):
        with pytest.raises(UnknownSchemaError, match=r"the registry does not know it: .*not found") as caught:
            asked()
        assert str(caught.value).startswith(what)


def test_schemas_are_compared_and_incompatible_ones_refused(a_registry: RealRegistry) -> None:
    ask = client(a_registry)
    id = ask.register("compared-value", record("int"))
    a_registry.require("compared-value", "BACKWARD")
    assert ask.compatibility("compared-value", record("long")).compatible
    assert not ask.compatibility("compared-value", record("string"), 1).compatible
    with pytest.raises(IncompatibleSchemaError, match=r"subject compared-value .*answers 409: .*not compatible with"):
        ask.register("compared-value", record("string"))
    assert ask.versions("compared-value") == [1]
    assert ask.version("compared-value").id == id


def test_what_is_no_schema_is_refused(a_registry: RealRegistry) -> None:
    for ask in (RegistryClient.register, RegistryClient.compatibility):
        client(a_registry).register("right-value", record("int"))
        with pytest.raises(InvalidSchemaError, match=r"subject right-value.* answers 422: .*for a wrong one"):
            ask(client(a_registry), "right-value", '{"type": "record"}')


def test_encoder_and_decoder_agree(a_registry: RealRegistry) -> None:
    """Each schema of recorded streams, registered by one and read by another process."""
    entries = [one for path in recorded.registries()[::5] for one in json.loads(path.read_text("utf-8"))]
    registry = open_registry(a_registry.url)
    ids = [registry.id_of(one["subject"], one["schema"]) for one in entries]
    script = (
        "import json, sys; from tidewire.messages.registry import open_registry; "
        f"registry = open_registry({a_registry.url!r}); "
        "print(json.dumps([registry.schema(id) for id in json.load(sys.stdin)]))"
    )
    done = subprocess.run([sys.executable, "-c", script], input=json.dumps(ids), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    # this registry writes members in an order of its own, and names without a namespace that they inherit
    read, written = json.loads(done.stdout), [one["schema"] for one in entries]
    assert read != written
    parsed, expected = ([fastavro.parse_schema(json.loads(text)) for text in texts] for texts in (read, written))
    assert parsed == expected
    assert len(entries) > 100


def test_a_snapshot_stands_for_the_registry(a_registry: RealRegistry, tmp_path: Path) -> None:
    ask = client(a_registry)
    ids = [ask.register("saved-value", record(kind)) for kind in ("int", "long")]
    save_schemas(str(tmp_path / "saved.json"), snapshot(ask, ["saved-value"]))
    assert [SavedSchemas(str(tmp_path / "saved.json")).schema(id) for id in ids] == [record("int"), record("long")]


def test_the_command_line_of_a_real_registry(a_registry: RealRegistry, tmp_path: Path) -> None:
    path = tmp_path / "orders.avsc"
    path.write_text(record("int", "commanded"))
    asked = ("commanded-value", path, "--registry", a_registry.url)
    result = tidewire("registry", "register", *asked)
    assert result.exit_code == 0, result.output
    id = result.stdout.strip()
    assert tidewire("registry", "show", "--id", id, "--registry", a_registry.url).stdout.strip() == path.read_text()
    a_registry.require("commanded-value", "BACKWARD")
    assert tidewire("registry", "check", *asked).exit_code == 0
    path.write_text(record("string", "commanded"))
    assert tidewire("registry", "check", *asked).exit_code == 1
    result = tidewire("registry", "register", *asked)
    assert (result.exit_code, "not compatible with the subject's others" in result.stderr) == (2, True)


def test_a_registry_that_starts_anew_knows_no_ids(a_registry: RealRegistry) -> None:
    """What was told before is remembered: an id does not change its meaning."""
    ask = client(a_registry)
    known = SchemaResolver(ask.settings)
    id = known.id_of("restarted-value", record("int"))
    assert known.schema(id) == record("int")
    a_registry.restart()
    assert known.schema(id) == record("int")
    with pytest.raises(UnknownSchemaError, match=rf"schema {id} .*does not know it: .*Look whether another registry"):
        SchemaResolver(ask.settings).schema(id)
    # the same client registers again, over connections that were closed meanwhile
    assert ask.schema(ask.register("restarted-value", record("long"))) == record("long")


def test_a_registry_that_is_killed_while_it_answers(a_registry: RealRegistry) -> None:
    """The request ends with a clear error; when the registry is back, the same client asks it."""
    ask = client(a_registry, deadline=15.0, retries=2)
    id = ask.register("killed-value", record("int"))
    a_registry.freeze()
    killed = threading.Timer(0.5, a_registry.kill)
    killed.start()
    with pytest.raises(SchemaUnavailableError, match=rf"schema {id} .*no answer: .*3 attempts") as caught:
        ask.schema(id)
    killed.join()
    assert "Look whether the registry is up" in str(caught.value)
    a_registry.start()
    assert ask.schema(ask.register("killed-value", record("int"))) == record("int")


def test_a_registry_that_comes_back_in_time_is_not_noticed(a_registry: RealRegistry) -> None:
    ask = client(a_registry, deadline=240.0, attempt=5.0, retries=100)
    a_registry.stop()
    started = threading.Thread(target=a_registry.start)
    started.start()
    assert ask.register("late-value", record("int")) > 0
    started.join()


def test_it_listens_on_loopback_only_and_stops(a_registry: RealRegistry) -> None:
    assert a_registry.url.startswith("http://127.0.0.1:")
    a_registry.stop()
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(a_registry.url, timeout=5)
