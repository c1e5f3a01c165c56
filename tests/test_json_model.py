"""What the model of a JSON protocol says beyond the words of its spec."""

from __future__ import annotations

from pathlib import Path

import pytest

from tidewire.generator.check import load_spec
from tidewire.generator.json.model import JsonProtocol, MappedMember, Member, NamesMember, identifier
from tidewire.generator.json.passes import JsonContext
from tidewire.generator.model import Spec

TESTS = Path(__file__).resolve().parent


@pytest.fixture(scope="module")
def spec() -> Spec:
    found, problems = load_spec(TESTS / "spec_every_word", TESTS.parent / "spec")
    assert found is not None, problems
    return found


@pytest.fixture(scope="module")
def protocol(spec: Spec) -> JsonProtocol:
    found = spec.protocols["every-json-word"]
    assert isinstance(found, JsonProtocol)
    return found


def members(protocol: JsonProtocol) -> dict[str, Member]:
    return {"/".join(str(one.name) for one in (*path, member)): member for path, member in protocol.walk()}


def test_members_have_an_id_and_a_name(protocol: JsonProtocol) -> None:
    """The id is a name of the spec and of printed code, the name is what stands in the message."""
    found = protocol.objects["head"].members
    assert {id: str(one.name) for id, one in found.items() if one.name != id} == {
        "commit_millis": "commitMillis",
        "table": "Table",
        "whereabouts": "where",
        "numbers": "sqlNumbers",
    }
    assert [one.identifier for one in found.values()] == list(found)
    assert identifier("class") == "class_"


def test_the_order_is_of_a_class_and_has_its_members(protocol: JsonProtocol) -> None:
    def order(cls: str) -> list[str]:
        return [str(one.name) for one in protocol.message.ordered(cls)]

    assert order("watermark") == ["signature", "op", "head", "version", "whole", "mark", "<sign>"]
    assert order("ddl") == ["version", "head", "<sign>", "signature", "op", "whole", "mark", "text"]
    assert order("row")[:3] == ["was", "after", "columns"]


def test_which_members_a_reader_misses(protocol: JsonProtocol) -> None:
    found = members(protocol)
    row = {path for path, member in found.items() if member.required_of("row")}
    assert row == {"op", "head", "head/commit", "columns"}
    assert found["columns/declared"].required_of("row") is False, "types may miss"
    assert found["head/commitMillis"].required_of("watermark") is False, "0 is left out"
    assert found["head/commit"].required_of("watermark") is False


def test_what_is_said_by_producer_and_once_for_all(protocol: JsonProtocol) -> None:
    found = members(protocol)
    declared, numbers, primary = found["columns/declared"], found["head/sqlNumbers"], found["head/primary"]
    assert isinstance(numbers, MappedMember)
    assert isinstance(primary, NamesMember)
    assert {**numbers.empty} == {"first": "omit", "second": "omit"}
    assert getattr(declared, "empty", None) == {"first": "{}", "second": "null"}
    assert [str(flag) for flag in primary.flags] == ["primary_key", "handle_key"]


def test_the_reasons_for_which_recordings_may_differ(protocol: JsonProtocol) -> None:
    found = {path: member.reason for path, member in members(protocol).items() if member.reason is not None}
    assert found == {
        "head/sqlNumbers": "sqlNumbers-order",
        "head/where/stored": "stored-value",
        "head/where/rowKey": "rowKey-value",
        "columns/declared": "declared-order",
    }


def test_what_is_carried(spec: Spec, protocol: JsonProtocol) -> None:
    meaning = JsonContext(spec, protocol).meaning
    fields = set(meaning.fields(spec))
    assert {"kind", "commit_ts", "commit_ms", "ddl_class", "row_key"} <= fields
    assert not {"ddl_type", "partition_id"} & fields
    assert set(meaning.flags or ()) == {"primary_key", "unique_key"}
