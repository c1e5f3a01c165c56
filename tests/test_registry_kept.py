"""Registries in memory and in files give the ids that recordings have, and what one process registers others find."""

from __future__ import annotations

import json
import multiprocessing
import os
import pickle
import subprocess
import sys
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import recorded
from pyspark import cloudpickle

from tidewire.messages.registry import (
    InvalidSchemaError,
    MemorySchemas,
    RegisteredSchema,
    RegistrySettings,
    SavedSchemas,
    SchemaRefusedError,
    SchemaRegistry,
    SchemaResolver,
    SchemaUnavailableError,
    UnknownSchemaError,
    open_registry,
    save_schemas,
    saved,
)
from tidewire.runtime.registry import memory
from tidewire.runtime.whole_files import LockedError, locked

GLUE = uuid.UUID("b7b4a7f0-9c96-4e4a-a687-fb5de9ef0c63")
Made = Callable[[Path], SchemaRegistry]


def in_memory(_: Path) -> SchemaRegistry:
    return MemorySchemas()


def in_file(path: Path) -> SchemaRegistry:
    return SchemaResolver(RegistrySettings(file=str(path)))


@pytest.mark.parametrize("made", [in_memory, in_file])
def test_ids_are_those_of_the_recordings(made: Made, tmp_path: Path) -> None:
    """Registered again in their order, all schemas of a stream have their ids and versions, and are found by them."""
    for number, path in enumerate(recorded.registries()[:: 5 if made is in_file else 1]):
        entries = json.loads(path.read_text("utf-8"))
        registry = made(tmp_path / f"{number}.json")
        for one in entries:
            assert registry.id_of(one["subject"], one["schema"]) == one["id"]
            assert registry.schema(one["id"]) == one["schema"]
        if isinstance(registry, MemorySchemas):
            registry.save(str(tmp_path / f"{number}.json"))
        assert json.loads((tmp_path / f"{number}.json").read_text()) == entries


@pytest.mark.parametrize("made", [in_memory, in_file])
def test_one_text_has_an_id_for_each_subject(made: Made, tmp_path: Path) -> None:
    registry = made(tmp_path / "a.json")
    given = [("a", '"int"'), ("b", '"int"'), ("a", '"long"'), ("a", '"int"')]
    assert [registry.id_of(*one) for one in given] == [1, 2, 3, 1]
    with pytest.raises(UnknownSchemaError, match="schema 4 "):
        registry.schema(4)
    with pytest.raises(InvalidSchemaError, match="no Avro schema"):
        registry.id_of("a", "no schema")


@pytest.mark.parametrize("made", [in_memory, in_file])
def test_threads_agree(made: Made, tmp_path: Path) -> None:
    registry = made(tmp_path / "a.json")
    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(lambda n: registry.id_of(f"s{n % 20}", '"int"'), range(200)))
    assert found == found[:20] * 10
    assert sorted(found[:20]) == list(range(1, 21))


def test_what_is_in_memory_can_be_saved_and_taken_up(tmp_path: Path) -> None:
    first = MemorySchemas([RegisteredSchema(GLUE, "g", 1, '"int"')])
    assert first.id_of("t-value", '"int"') == 1
    first.save(str(tmp_path / "a.json"))
    again = MemorySchemas(SavedSchemas(str(tmp_path / "a.json")).schemas)
    assert again.id_of("t-value", '"long"') == 2
    assert again.version("t-value") == RegisteredSchema(2, "t-value", 2, '"long"')
    assert again.version("t-value", 1).text == '"int"'
    assert [again.schema(GLUE), again.schema(str(GLUE))] == ['"int"', '"int"']
    with pytest.raises(UnknownSchemaError, match="subject t-value, version 3"):
        again.version("t-value", 3)
    with pytest.raises(UnknownSchemaError, match="ids are numbers, or UUIDs such as"):
        again.schema("7")


def test_a_copy_in_memory_registers_nothing() -> None:
    """Two processes would give one id to two schemas."""
    first = MemorySchemas()
    first.id_of("t", '"int"')
    copy = pickle.loads(pickle.dumps(first))
    assert (copy.id_of("t", '"int"'), copy.schema(1)) == (1, '"int"')
    with pytest.raises(SchemaRefusedError, match=r"subject t .*are a copy of another process's"):
        copy.id_of("t", '"long"')
    child = os.fork()
    if child == 0:
        try:
            first.id_of("t", '"long"')
        except SchemaRefusedError:
            os._exit(7)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


def test_all_schemas_together_are_bounded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """By what they would be as a file, so that what can be saved can be read."""
    monkeypatch.setattr(memory, "MOST_BYTES", 5000)
    monkeypatch.setattr(saved, "MOST_BYTES", 5000)
    kept = MemorySchemas()
    texts = [json.dumps(f'"{number}\x00é\U0001f4af') for number in range(1000)]
    with pytest.raises(SchemaRefusedError, match="more than 5,000 bytes in a file"):
        list(map(kept.id_of, ["t"] * len(texts), texts))
    path = tmp_path / "a.json"
    kept.save(str(path))
    assert 3000 < path.stat().st_size <= 5000
    assert SavedSchemas(str(path)).schemas == kept.schemas


def test_there_is_an_id_after_the_last_only_if_messages_can_carry_it() -> None:
    kept = MemorySchemas([RegisteredSchema((1 << 32) - 2, "t", 1, '"int"')])
    assert kept.id_of("t", '"long"') == (1 << 32) - 1
    with pytest.raises(SchemaRefusedError, match="no id left"):
        kept.id_of("t", '"float"')


def test_one_id_with_two_texts_is_refused() -> None:
    with pytest.raises(SchemaUnavailableError, match=r"schema 1 .*stands there before"):
        MemorySchemas([RegisteredSchema(1, "t", 1, '"int"'), RegisteredSchema(1, "t", 2, '"long"')])


def test_what_another_process_registers_is_found(tmp_path: Path) -> None:
    """A decoder has read the file; then an encoder in another process needs a schema that is not there."""
    path = tmp_path / "a.json"
    save_schemas(str(path), [RegisteredSchema(4, "t", 1, '"int"')])
    decoder, encoder = (SchemaResolver(RegistrySettings(file=str(path), failure_seconds=0)) for _ in range(2))
    assert decoder.schema(4) == '"int"'
    with pytest.raises(UnknownSchemaError):
        decoder.schema(5)
    assert encoder.id_of("t", '"long"') == 5
    assert decoder.schema(5) == '"long"'
    assert decoder.id_of("u", '"long"') == 6
    assert [encoder.schema(6), encoder.id_of("t", '"int"')] == ['"long"', 4]
    assert os.listdir(tmp_path) == ["a.json"]


def test_a_uuid_is_found_as_a_text_too(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    save_schemas(str(path), [RegisteredSchema(GLUE, "t", 1, '"int"')])
    registry = open_registry(str(path))
    assert [registry.schema(one) for one in (GLUE, str(GLUE), GLUE.hex)] == ['"int"'] * 3
    with pytest.raises(UnknownSchemaError, match="schema 'x'"):
        registry.schema("x")
    # messages with a number for the schema are another framing, so it is registered again
    assert registry.id_of("t", '"int"') == 1


def _register(path: str, number: int) -> list[int]:
    registry = open_registry(path)
    return [registry.id_of(f"s{(number + n) % 24}", '"int"') for n in range(24)]


def test_processes_agree(tmp_path: Path) -> None:
    """Four of them register the same schemas in one file at once, in different orders."""
    path = tmp_path / "a.json"
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        found = pool.starmap(_register, [(str(path), 6 * n) for n in range(4)])
    ids = [{(6 * number + n) % 24: id for n, id in enumerate(some)} for number, some in enumerate(found)]
    assert ids[0] == ids[1] == ids[2] == ids[3]
    assert sorted(ids[0].values()) == list(range(1, 25))
    assert {one.id for one in SavedSchemas(str(path)).schemas} == set(range(1, 25))
    assert os.listdir(tmp_path) == ["a.json"]


def test_a_resolver_goes_to_another_process(tmp_path: Path) -> None:
    """As Spark sends what functions refer to. There it is the one that all tasks share."""
    registry = open_registry(str(tmp_path / "a.json"))
    assert registry.id_of("t", '"int"') == 1
    script = (
        "import pickle, sys; one, two = pickle.load(sys.stdin.buffer), None; "
        "from tidewire.messages.registry import shared_resolver; "
        "print(one.schema(1), one.id_of('t', '\"long\"'), one is shared_resolver(one.settings))"
    )
    sent: bytes = cloudpickle.dumps(registry)  # type: ignore[no-untyped-call]
    done = subprocess.run([sys.executable, "-c", script], input=sent, capture_output=True, check=True)
    assert done.stdout.decode().split() == ['"int"', "2", "True"]
    assert registry.schema(2) == '"long"'


def test_a_file_that_was_replaced_by_another_is_not_believed(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    registry = SchemaResolver(RegistrySettings(file=str(path), failure_seconds=0))
    assert registry.id_of("t", '"int"') == 1
    save_schemas(str(path), [RegisteredSchema(1, "t", 1, '"long"')])
    for ask in (lambda: registry.schema(2), lambda: registry.id_of("t", '"float"')):
        with pytest.raises(SchemaUnavailableError, match=r"schema 1 .*was replaced while it was in use"):
            ask()
    # one that was removed is made again, with the ids that were given
    path.unlink()
    assert registry.id_of("t", '"float"') == 2
    assert [one.text for one in SavedSchemas(str(path)).schemas] == ['"int"', '"float"']


def test_a_file_that_cannot_be_written_gives_no_ids(tmp_path: Path) -> None:
    registry = SchemaResolver(RegistrySettings(file=str(tmp_path / "none" / "a.json"), failure_seconds=0))
    with pytest.raises(SchemaUnavailableError, match=r"subject t .*cannot be written: No such file or directory"):
        registry.id_of("t", '"int"')
    (tmp_path / "none").mkdir()
    assert registry.id_of("t", '"int"') == 1


def test_a_file_that_another_process_keeps_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    registry = SchemaResolver(RegistrySettings(file=str(path), deadline=0.2, failure_seconds=0))
    with locked(path, 1):
        with pytest.raises(
            SchemaUnavailableError, match=r"another process has had its lock, .*a\.json\.lock, for 0\.2 s"
        ):
            registry.id_of("t", '"int"')
        with pytest.raises(LockedError), locked(path, 0):
            pass
    assert registry.id_of("t", '"int"') == 1
    # the lock of a process that died
    (tmp_path / "a.json.lock").touch()
    assert registry.id_of("t", '"long"') == 2
    assert os.listdir(tmp_path) == ["a.json"]
