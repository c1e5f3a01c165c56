"""Schemas are registered and compared: what is asked, once for each, and what the answers become."""

from __future__ import annotations

import pickle
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler
from types import SimpleNamespace

import pytest
from registry_server import hanging_up, reply, serving

from tidewire.messages.registry import (
    IncompatibleSchemaError,
    InvalidSchemaError,
    RegistryClient,
    RegistrySettings,
    SchemaRefusedError,
    SchemaRegistryError,
    SchemaResolver,
    SchemaUnavailableError,
    UnknownSchemaError,
    open_registry,
    resolver,
    shared_resolver,
)
from tidewire.runtime.errors import OptionError

TEXT = '{"type":"record","name":"t","fields":[]}'


def client(url: str) -> RegistryClient:
    return RegistryClient(RegistrySettings((url,), deadline=5.0, retries=2))


def refusal(code: int, status: int, message: str = "because") -> object:
    return reply({"error_code": code, "message": message}, status)


@pytest.mark.parametrize(
    ("code", "status", "kind"),
    [
        (409, 409, IncompatibleSchemaError),
        (42201, 422, InvalidSchemaError),
        (422, 422, InvalidSchemaError),
        (42202, 422, SchemaRefusedError),
        (40301, 403, SchemaRefusedError),
        (40401, 404, UnknownSchemaError),
    ],
)
def test_final_answers_are_errors_of_their_own(code: int, status: int, kind: type[SchemaRegistryError]) -> None:
    for ask in (RegistryClient.register, RegistryClient.compatibility):
        with serving(refusal(code, status)) as server, pytest.raises(kind, match="'because'") as caught:  # type: ignore[arg-type]
            ask(client(server.url), "t-value", TEXT)
        assert type(caught.value) is kind
        assert len(server.asked) == 1
        assert str(caught.value).startswith("subject t-value")
        assert type(pickle.loads(pickle.dumps(caught.value))) is kind


def test_a_version_that_is_wrong_is_no_wrong_schema() -> None:
    with serving(refusal(42202, 422)) as server, pytest.raises(SchemaRefusedError) as caught:  # type: ignore[arg-type]
        client(server.url).version("t-value", 3)
    assert not isinstance(caught.value, InvalidSchemaError)
    with pytest.raises(OptionError, match="a number from 1, or latest"):
        client("http://127.0.0.1:1").compatibility("t-value", TEXT, "newest")


@pytest.mark.parametrize("subject", ["", ".", "..", "\ud800"])
def test_a_subject_that_no_path_can_have_is_refused(subject: str) -> None:
    ask = client("http://127.0.0.1:1")
    for asked in (
        lambda: ask.register(subject, TEXT),
        lambda: ask.compatibility(subject, TEXT),
        lambda: ask.version(subject),
        lambda: ask.versions(subject),
    ):
        with pytest.raises(OptionError, match="the name of a subject is expected"):
            asked()


def test_the_schema_of_an_error_is_not_shown_in_full() -> None:
    """Registries repeat it."""
    with (
        serving(refusal(42201, 422, f"Invalid schema {'x' * 9000}")) as server,  # type: ignore[arg-type]
        pytest.raises(InvalidSchemaError) as caught,
    ):
        client(server.url).register("t-value", TEXT)
    assert len(str(caught.value)) < 500


def test_busy_and_dying_registries_are_asked_again() -> None:
    """Registering is repeated: the same text has the same id however often it comes."""
    for trouble in (reply({}, 429), reply({}, 503), hanging_up):
        with serving(trouble, trouble, reply({"id": 8})) as server:
            assert client(server.url).register("t-value", TEXT) == 8
        assert server.asked == ["POST /subjects/t-value/versions"] * 3
    with (
        serving(reply({}, 500)) as server,
        pytest.raises(SchemaUnavailableError, match=r"subject t-value .*it answers 500 \(3 attempts\)"),
    ):
        client(server.url).register("t-value", TEXT)
    assert len(server.asked) == 3


def test_reasons_are_given_without_secrets_and_not_without_end() -> None:
    reasons = ["it repeats s3cret", "y" * 9000, *map(str, range(50))]
    with serving(reply({"is_compatible": False, "messages": reasons})) as server:
        settings = RegistrySettings((server.url,), user="me", password="s3cret")
        found = RegistryClient(settings).compatibility("t", TEXT, 2)
    assert found.reasons[0] == "it repeats ***"
    assert len(found.reasons[1]) < 300
    assert len(found.reasons) == 20
    assert server.asked == ["POST /compatibility/subjects/t/versions/2?verbose=true"]
    for answer in ({"is_compatible": True, "messages": ["all right"]}, {"is_compatible": True, "messages": 5}):
        with serving(reply(answer)) as server:
            assert client(server.url).compatibility("t", TEXT) == (True, ())
    with serving(reply({"is_compatible": "yes"})) as server, pytest.raises(SchemaUnavailableError, match="is a text"):
        client(server.url).compatibility("t", TEXT)


def test_many_threads_register_each_schema_once() -> None:
    ids: dict[bytes, int] = {}
    lock = threading.Lock()

    def answer(handler: BaseHTTPRequestHandler) -> None:
        time.sleep(0.1)
        with lock:
            id = ids.setdefault(handler.server.bodies[-1], len(ids) + 1)  # type: ignore[attr-defined]
        reply({"id": id})(handler)

    with serving(answer) as server:
        registry = SchemaResolver(RegistrySettings((server.url,)))
        with ThreadPoolExecutor(32) as pool:
            found = list(pool.map(lambda n: registry.id_of(f"{n % 2}-value", TEXT), range(200)))
        assert registry.id_of("0-value", TEXT) == found[0]
    assert sorted(server.asked) == ["POST /subjects/0-value/versions", "POST /subjects/1-value/versions"]
    assert len({(n % 2, id) for n, id in enumerate(found)}) == 2


def test_a_schema_that_is_refused_is_not_sent_again_for_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(resolver, "time", SimpleNamespace(monotonic=lambda: now))
    with serving(refusal(409, 409), reply({"id": 3})) as server:  # type: ignore[arg-type]
        registry = SchemaResolver(RegistrySettings((server.url,), failure_seconds=0.3))
        for _ in range(20):
            with pytest.raises(IncompatibleSchemaError):
                registry.id_of("t-value", TEXT)
        assert len(server.asked) == 1
        now = 0.4
        assert registry.id_of("t-value", TEXT) == 3


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest are asked for again, ids and texts alike."""
    monkeypatch.setattr(resolver, "MOST_REMEMBERED", 10_000)
    with serving(reply({"id": 1, "schema": f'"{"x" * 1000}"'})) as server:
        settings = RegistrySettings((server.url,))
        for length, most in ((0, 33), (1000, 7)):
            registry = SchemaResolver(settings)
            server.asked.clear()
            given = [("s", f'"{n:04}{"x" * length}"') for n in range(50)]
            for one in (*given, *given[-most:]):
                registry.id_of(*one)
            assert len(server.asked) == 50
            registry.id_of(*given[0])
            assert len(server.asked) == 51
    with serving(reply({"schema": f'"{"x" * 4000}"'})) as server:
        registry = SchemaResolver(RegistrySettings((server.url,)))
        for id in (1, 2, 2, 1, 3, 1):
            registry.schema(id)
    assert [one.rpartition("/")[2] for one in server.asked] == ["1", "2", "3", "1"]


@pytest.mark.parametrize(
    ("where", "others", "expected"),
    [
        ("http://a:1/apis/", {}, RegistrySettings(("http://a:1/apis",))),
        (" https://a , https://b", {"retries": 1}, RegistrySettings(("https://a", "https://b"), retries=1)),
        ("http://u:p,w@a,http://u:p,w@b", {}, RegistrySettings(("http://a", "http://b"), user="u", password="p,w")),
        ("http://a", {"token": "t"}, RegistrySettings(("http://a",), token="t")),
        ("out/topic.registry.json", {}, RegistrySettings(file="out/topic.registry.json")),
        ("C:\\topic.json", {}, RegistrySettings(file="C:\\topic.json")),
        ("a@b.json", {}, RegistrySettings(file="a@b.json")),
    ],
)
def test_a_text_says_where_schemas_are(where: str, others: dict[str, object], expected: RegistrySettings) -> None:
    assert RegistrySettings.of(where, **others) == expected
    assert open_registry(where, **others) is shared_resolver(expected)


@pytest.mark.parametrize(
    ("where", "others", "text"),
    [
        ("", {}, "the URL of a registry or the path of a file"),
        ("me:s3cret@registry:8081", {}, "neither http:// nor https://"),
        ("registry:8081/apis", {}, "neither http:// nor https://"),
        ("ftp://me:s3cret@a", {}, "no URL of a registry"),
        ("http://a,b://c", {}, "no URL"),
        ("http://a", {"tokn": "s3cret"}, "registry tokn: there is no such setting; there are user, password, token"),
        ("http://a", {"urls": ("http://b",)}, "no such setting"),
        ("a.json", {"deadline": 0}, "registry deadline"),
    ],
)
def test_a_text_that_cannot_be_is_refused(where: str, others: dict[str, object], text: str) -> None:
    with pytest.raises(OptionError, match=text) as caught:
        open_registry(where, **others)
    assert "s3cret" not in str(caught.value)
