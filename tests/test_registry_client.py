"""The client of schema registries against answers of every kind: what it asks, believes, repeats and says."""

from __future__ import annotations

import base64
import json
import pickle
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

import pytest
from registry_server import Reply, hanging_up, reply, serving, slowly

from tidewire.messages.registry import (
    RegisteredSchema,
    RegistryClient,
    RegistrySettings,
    SchemaRefusedError,
    SchemaRegistryError,
    SchemaUnavailableError,
    UnknownSchemaError,
    exchange,
)
from tidewire.messages.registry.exchange import UNANSWERED
from tidewire.runtime.errors import OptionError

TEXT = '{"type":"record","name":"t","fields":[]}'
GOOD = reply({"schema": TEXT})
SECRET = "s3cret/ö"


def settings(*urls: str, **others: Any) -> RegistrySettings:
    return RegistrySettings(urls, **({"deadline": 5.0, "retries": 2} | others))


def closed_port() -> str:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{one.getsockname()[1]}"


def test_requests_are_those_of_the_rest_api() -> None:
    version = reply({"subject": "a/b-value", "version": 3, "id": 9, "schema": TEXT})
    with serving(
        GOOD,
        version,
        reply({"id": 9}),
        reply({"is_compatible": False, "messages": ["because", 1]}),
        reply(["b", "a"]),
        reply([2, 1]),
    ) as server:
        client = RegistryClient(settings(server.url + "/apis/"))
        assert client.schema(9) == TEXT
        assert client.version("a/b-value") == RegisteredSchema(9, "a/b-value", 3, TEXT)
        assert client.register("a/b-value", TEXT) == 9
        assert client.compatibility("a/b-value", TEXT) == (False, ("because",))
        assert client.subjects() == ["a", "b"]
        assert client.versions("a") == [1, 2]
    assert server.asked == [
        "GET /apis/schemas/ids/9",
        "GET /apis/subjects/a%2Fb-value/versions/latest",
        "POST /apis/subjects/a%2Fb-value/versions",
        "POST /apis/compatibility/subjects/a%2Fb-value/versions/latest?verbose=true",
        "GET /apis/subjects",
        "GET /apis/subjects/a/versions",
    ]
    assert json.loads(server.bodies[2]) == {"schema": TEXT}
    assert server.headers[2]["content-type"] == "application/vnd.schemaregistry.v1+json"


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        ({}, None),
        ({"token": "abc"}, "Bearer abc"),
        ({"user": "u", "password": SECRET}, "Basic " + base64.b64encode(f"u:{SECRET}".encode()).decode()),
    ],
)
def test_authentication(others: dict[str, str], expected: str | None) -> None:
    with serving(GOOD) as server:
        RegistryClient(settings(server.url, **others)).schema(1)
    assert server.headers[0].get("authorization") == expected


def test_secrets_of_a_url_are_sent_and_never_shown() -> None:
    with serving(reply({"error_code": 1, "message": f"no right for {SECRET}"}, 403)) as server:
        kept = settings(server.url.replace("://", "://me:s3cret%2F%C3%B6@"))
        with pytest.raises(SchemaRefusedError, match="403: 'no right for") as caught:
            RegistryClient(kept).schema(1)
    assert server.headers[0]["authorization"] == "Basic " + base64.b64encode(f"me:{SECRET}".encode()).decode()
    with pytest.raises(SchemaUnavailableError) as down:
        RegistryClient(settings(closed_port().replace("://", f"://me:{SECRET[:6]}@"), retries=0)).schema(1)
    shown = [repr(kept), str(kept), repr(RegistryClient(kept)), str(caught.value), repr(caught.value), str(down.value)]
    assert [text for text in shown if "s3cret" in text] == []
    assert pickle.loads(pickle.dumps(kept)) == kept


def _broken(text: bytes) -> Reply:
    """An answer that is these bytes."""

    def send(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(text)
        handler.close_connection = True

    return send


_ECHO = SECRET.encode()
_CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    "answer",
    [
        reply(b"<html>" + _ECHO),
        reply(_ECHO),
        reply(b" " * 60 + _ECHO * 30),
        reply(SECRET),
        reply([SECRET]),
        reply({"id": SECRET, "version": SECRET, "subject": SECRET, "schema": SECRET, "is_compatible": SECRET}),
        reply({"id": 5, "version": 5, "subject": SECRET, "schema": '"int"', "schemaType": SECRET}),
        reply({"error_code": SECRET, "message": SECRET}, 422),
        reply({"error_code": 40403, "message": "x" * 195 + SECRET}, 404),
        reply({"message": quote(SECRET, safe="")}, 400),
        reply({"message": base64.b64encode(f"me:{SECRET}".encode()).decode()}, 401),
        reply({}, 302, Location=f"http://me:{quote(SECRET)}@127.0.0.1:1/"),
        reply({}, 503, Retry_After=quote(SECRET)),
        reply({}, 200, Content_Encoding=quote(SECRET)),
        _broken(_ECHO + b"\r\n\r\n"),
        _broken(b"HTTP/1.1 " + _ECHO + b" OK\r\n\r\n"),
        _broken(b"HTTP/1.1 200 OK\r\n" + _ECHO + b": 1\r\nContent-Length: " + _ECHO + b"\r\n\r\n{"),
        _broken(_CHUNKED + _ECHO + b"\r\n"),
    ],
)
def test_whoever_answers_cannot_have_secrets_shown(answer: Reply) -> None:
    """A proxy in between may repeat the headers that it got in whatever it sends."""
    shown = []
    with serving(answer) as server:
        client = RegistryClient(settings(server.url, user="me", password=SECRET, retries=0))
        for ask in (
            lambda: client.schema(1),
            lambda: client.version("t"),
            lambda: client.register("t", TEXT),
            lambda: client.compatibility("t", TEXT),
            lambda: client.versions("t"),
            client.subjects,
        ):
            try:
                ask()
            except SchemaRegistryError as error:
                shown += [str(error), repr(error), repr(pickle.loads(pickle.dumps(error)))]
    assert shown
    assert [text for text in shown if "s3cret" in text] == []


def test_attempts_without_an_answer_are_bounded_in_number() -> None:
    """A registry that takes connections and says nothing holds a thread for each attempt that was given up."""
    with serving(slowly(0.01, b"HTTP/1.1 200 OK\r\nX: ", b"y")) as server:
        client = RegistryClient(settings(server.url, deadline=0.5, attempt=0.1, retries=100))
        with ThreadPoolExecutor(3 * UNANSWERED) as pool:
            asked = [pool.submit(client.schema, id) for id in range(1, 3 * UNANSWERED + 1)]
            most = 0
            while not all(one.done() for one in asked):
                most = max(most, sum(one.name == "tidewire-registry" for one in threading.enumerate()))
                time.sleep(0.002)
        assert 0 < most <= UNANSWERED
        assert all(isinstance(one.exception(), SchemaUnavailableError) for one in asked)
        with pytest.raises(SchemaUnavailableError, match="8 earlier requests have no answer yet"):
            client.schema(1)


@pytest.mark.parametrize("status", [429, 500, 503])
def test_busy_registries_are_asked_again(status: int) -> None:
    with serving(reply({}, status), reply({}, status), GOOD) as server:
        assert RegistryClient(settings(server.url)).schema(1) == TEXT
    assert len(server.asked) == 3


def test_retries_are_bounded() -> None:
    with (
        serving(reply({}, 503)) as server,
        pytest.raises(SchemaUnavailableError, match=r"schema 1 .*it answers 503 \(3 attempts\)"),
    ):
        RegistryClient(settings(server.url)).schema(1)
    assert len(server.asked) == 3


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses that a client would make between its attempts; none is made."""
    made: list[float] = []
    monkeypatch.setattr(exchange, "time", SimpleNamespace(monotonic=time.monotonic, sleep=made.append))
    return made


def test_retry_after_is_waited_for(pauses: list[float]) -> None:
    with serving(reply({}, 429, Retry_After="3"), GOOD) as server:
        assert RegistryClient(settings(server.url)).schema(1) == TEXT
    assert pauses == [3.0]


def test_a_wait_beyond_the_deadline_is_not_begun(pauses: list[float]) -> None:
    with (
        serving(reply({}, 429, Retry_After="3600")) as server,
        pytest.raises(SchemaUnavailableError, match="left alone for 3,600 s"),
    ):
        RegistryClient(settings(server.url)).schema(1)
    assert pauses == []
    assert len(server.asked) == 1


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 422])
def test_refusals_are_final(status: int) -> None:
    with (
        serving(reply({"error_code": 42201, "message": "because"}, status)) as server,
        pytest.raises(SchemaRefusedError, match=f"the registry answers {status}: 'because'"),
    ):
        RegistryClient(settings(server.url)).register("t-value", TEXT)
    assert len(server.asked) == 1


def test_an_unknown_id_is_told_from_a_registry_that_is_down() -> None:
    with (
        serving(reply({"error_code": 40403, "message": "Schema not found"}, 404)) as server,
        pytest.raises(UnknownSchemaError, match=r"schema 7 \(http://127.*does not know it: 'Schema not found'"),
    ):
        RegistryClient(settings(server.url)).schema(7)
    with pytest.raises(SchemaUnavailableError, match=r"schema 7 .*no answer: .*3 attempts"):
        RegistryClient(settings(closed_port())).schema(7)
    # a page that is not there says nothing about schemas
    with serving(reply(b"<html>", 404)) as server, pytest.raises(SchemaRefusedError, match="REST API has /subjects"):
        RegistryClient(settings(server.url)).schema(7)


def test_the_next_url_is_asked_when_one_is_down_and_remembered() -> None:
    with serving(reply({}, 500)) as broken, serving(GOOD) as server:
        client = RegistryClient(settings(closed_port(), broken.url, server.url))
        assert [client.schema(1), client.schema(2)] == [TEXT, TEXT]
    assert (len(broken.asked), len(server.asked)) == (1, 2)


@pytest.mark.parametrize(
    ("answer", "error", "text"),
    [
        (reply(b"<html>"), SchemaUnavailableError, "the answer, of 6 bytes, is no JSON but a page of HTML"),
        (reply(b"[" * 100_000), SchemaUnavailableError, "is no JSON"),
        (reply(b"9" * 5000), SchemaUnavailableError, "is no JSON"),
        (reply(b"\xff"), SchemaUnavailableError, "is no JSON"),
        (reply([]), SchemaUnavailableError, "the answer is a list; an object is expected"),
        (reply({}), SchemaUnavailableError, "`schema` is null"),
        (reply({"schema": 5}), SchemaUnavailableError, "`schema` is a number"),
        (reply({"schema": "{"}), SchemaUnavailableError, "is no Avro schema"),
        (reply({"schema": TEXT, "id": 2}), SchemaUnavailableError, "about a schema with another id"),
        (reply({"schema": TEXT, "schemaType": "PROTOBUF"}), SchemaRefusedError, "PROTOBUF, and only AVRO is read"),
        (reply({"schema": TEXT, "references": [{}]}), SchemaRefusedError, "refers to other schemas"),
        (reply({}, 302, Location="http://127.0.0.1:1/"), SchemaRefusedError, "answers 302, which sends elsewhere"),
        (reply({}, 200, Content_Encoding="gzip"), SchemaUnavailableError, "is compressed"),
        (reply(b" " * 5000), SchemaUnavailableError, "more than 4,096 bytes"),
    ],
)
def test_answers_are_not_believed(answer: Reply, error: type[SchemaRegistryError], text: str) -> None:
    most = {} if text != "more than 4,096 bytes" else {"most_bytes": 4096}
    with serving(answer) as server, pytest.raises(error, match=text):
        RegistryClient(settings(server.url, **most)).schema(1)
    assert len(server.asked) == 1


@pytest.mark.parametrize("id", [0, True, "9", 2**32, None])
def test_an_answer_without_a_right_id_is_refused(id: object) -> None:
    with serving(reply({"id": id})) as server, pytest.raises(SchemaUnavailableError, match="`id`"):
        RegistryClient(settings(server.url)).register("t", TEXT)


def test_another_version_than_the_one_asked_for_is_refused() -> None:
    answer = reply({"subject": "t", "version": 2, "id": 1, "schema": TEXT})
    with serving(answer) as server, pytest.raises(SchemaUnavailableError, match="about another subject or version"):
        RegistryClient(settings(server.url)).version("t", 1)


@pytest.mark.parametrize(
    "drip",
    [
        slowly(0.05, b"HTTP/1.1 200 OK\r\n\r\n", b" "),
        slowly(0.05, b"HTTP/1.1 200 OK\r\nX: ", b"y"),
        slowly(0.05, b"", b"H"),
    ],
    ids=["body", "headers", "status"],
)
def test_slow_drips_end_at_the_deadline(drip: Reply) -> None:
    """They drip for ever: without a deadline this test would not end."""
    with serving(drip) as server, pytest.raises(SchemaUnavailableError, match="no answer"):
        RegistryClient(settings(server.url, deadline=0.6, attempt=0.4)).schema(1)


def test_an_endless_body_is_not_read_to_its_end() -> None:
    with (
        serving(slowly(0, b"HTTP/1.1 200 OK\r\n\r\n", b" " * 65536)) as server,
        pytest.raises(SchemaUnavailableError, match="more than 100,000 bytes"),
    ):
        RegistryClient(settings(server.url, most_bytes=100_000)).schema(1)


def test_a_registry_that_dies_in_mid_answer_is_asked_again() -> None:
    with serving(hanging_up, GOOD) as server:
        assert RegistryClient(settings(server.url)).schema(1) == TEXT
    assert len(server.asked) == 2


def test_ids_that_no_registry_has_are_not_asked_for() -> None:
    client = RegistryClient(settings(closed_port()))
    for id in (0, -1, 1 << 32):
        with pytest.raises(UnknownSchemaError, match="from 1 to"):
            client.schema(id)
    with pytest.raises(UnknownSchemaError, match="ids are numbers, or UUIDs"):
        client.schema("a")
    with pytest.raises(OptionError, match="a number from 1, or latest"):
        client.version("t", "newest")


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({}, "urls or a file"),
        ({"urls": ("http://a",), "file": "b"}, "give one of the two"),
        ({"urls": ("ftp://u:s3cret@a",)}, "no URL of a registry"),
        ({"urls": ("http://u:s3cret@a:port",)}, "no URL"),
        ({"urls": ("http://a?key=s3cret",)}, "query"),
        ({"urls": ("http://u:s3cret@a", "http://v:s3cret@b")}, "differ from those given elsewhere"),
        ({"urls": ("http://a",), "token": "s3cret", "user": "u"}, "one way to authenticate"),
        ({"urls": ("http://a",), "token": "s3cret\n"}, "registry token: it holds a line break"),
        ({"urls": ("http://a",), "token": "s3cretö"}, "other than ASCII"),
        ({"urls": ("http://a",), "user": "u:v"}, "colon"),
        ({"urls": ("http://a",), "key": "k"}, "without its certificate"),
        ({"urls": ("http://a",), "ca_file": "/no/such/file"}, "there is no file /no/such/file"),
        ({"urls": ("http://a",), "deadline": 0}, "registry deadline: a number from"),
        ({"urls": ("http://a",), "retries": 1000}, "registry retries: a number from 0 to 100"),
    ],
)
def test_settings_that_cannot_be_are_refused(given: dict[str, Any], text: str) -> None:
    with pytest.raises(OptionError, match=text) as caught:
        RegistrySettings(**given)
    assert "s3cret" not in str(caught.value)
