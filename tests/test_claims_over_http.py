"""Files behind a web server: read as far as they may be, and asked for by plain names only.

fsspec's own HTTP needs aiohttp, which is no dependency of ours: here the standard library reads.
"""

from __future__ import annotations

import io
import json
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from fsspec.spec import AbstractFileSystem

from tidewire import canal_json
from tidewire.messages.delivery.claims import wrap
from tidewire.runtime.errors import OptionError

LIMIT = 1 << 20
ENDLESS = 1 << 28
"""Bytes that the server sends when nobody stops it."""


class WebFiles(AbstractFileSystem):  # type: ignore[misc]
    """What fsspec's implementation does for us: opens streams, and takes any trouble for a file that is not there."""

    protocol = ("http", "https")
    cachable = False

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        return path

    def open(self, path: str, mode: str = "rb", **_: Any) -> io.BufferedIOBase:
        try:
            return urllib.request.urlopen(path, timeout=60)  # type: ignore[no-any-return]
        except urllib.error.URLError as error:
            raise FileNotFoundError(path) from error


def insert(body: int | None = None, location: str | None = None) -> bytes:
    """A row with a text of so many bytes, or one that points to a file."""
    row = {"id": "1"} | ({} if body is None else {"body": "x" * body})
    types = {"id": "int"} | ({} if body is None else {"body": "longtext"})
    extension: dict[str, Any] = {"commitTs": 1} | ({} if location is None else {"claimCheckLocation": location})
    value = {
        "id": 0, "database": "s", "table": "t", "pkNames": ["id"], "isDdl": False, "type": "INSERT", "es": 1, "ts": 1,
        "sql": "", "sqlType": {}, "mysqlType": types, "data": [row], "old": None, "_tidb": extension,
    }  # fmt: skip
    return json.dumps(value).encode()


class Server(ThreadingHTTPServer):
    """Knows what it was asked for, and how much it has sent."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[str] = []
        self.sent = 0


class Handler(BaseHTTPRequestHandler):
    """Serves a good file, one without an end, and errors."""

    server: Server

    def log_message(self, *_: Any) -> None:
        """Nothing."""

    def do_GET(self) -> None:
        """Heeds no range."""
        self.server.asked.append(self.path)
        name = self.path.rpartition("/")[2]
        if name not in ("good.json", "endless.json"):
            self.send_error(500 if name == "broken.json" else 404)
            return
        self.send_response(200)
        self.end_headers()
        try:
            if name == "good.json":
                self.wfile.write(wrap(insert(1000), None))
                return
            while self.server.sent < ENDLESS:
                self.server.sent += self.wfile.write(b"x" * 65536)
        except OSError:
            """It was hung up."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setitem(sys.modules["fsspec.registry"]._registry, "http", WebFiles)
    with Server() as served:
        Thread(target=served.serve_forever, daemon=True).start()
        yield served
        served.shutdown()


def fetched(server: Server, *locations: str) -> Any:
    options = canal_json.Options(
        claim_check=f"http://127.0.0.1:{server.server_port}/claims?key=1", max_unpacked_bytes=LIMIT
    )
    return canal_json.decode_batch([insert(location=location) for location in locations], options=options)


def test_a_file_is_fetched_once(server: Server) -> None:
    events = fetched(server, *["s3://bucket/good.json"] * 3)
    assert not events.errors
    assert [len(event.new["body"]) for event in events] == [1000] * 3
    assert server.asked == ["/claims/good.json"]


@pytest.mark.parametrize(
    "location",
    ["..", "s3://b/..", "s3://b/%2e%2e", "a%2f..%2fsecret", "..\\secret", "a.json?x", "a.json#x", "s3://b/", "a:b"],
)
def test_no_name_reaches_elsewhere(server: Server, location: str) -> None:
    (error,) = fetched(server, location).errors
    assert "that does not end in the name of a file" in str(error)
    assert server.asked == []


def test_what_a_server_does_not_have(server: Server) -> None:
    missing, broken = fetched(server, "s3://b/missing.json", "s3://b/broken.json").errors
    assert f"there is no such file below http://127.0.0.1:{server.server_port}/claims (" in str(missing)
    assert "it could not be fetched: HTTPError: HTTP Error 500" in str(broken)


@pytest.mark.usefixtures("server")
def test_a_server_that_is_not_there() -> None:
    options = canal_json.Options(claim_check="http://127.0.0.1:9/claims")
    (error,) = canal_json.decode_batch([insert(location="s3://b/good.json")], options=options).errors
    assert "it could not be fetched: URLError: " in str(error)


def test_a_body_without_end_is_cut_short(server: Server) -> None:
    """And costs its neighbours nothing."""
    events = fetched(server, "s3://b/endless.json", "s3://b/good.json")
    (error,) = events.errors
    assert (error.message, len(events)) == (0, 1)
    assert f"it is too long: a batch may become {LIMIT} bytes" in str(error)
    # once as one of two, once alone; what lies on the way in buffers of the system is beyond what was read
    assert server.sent < 2 * LIMIT + (16 << 20)
    assert server.asked.count("/claims/endless.json") == 2


def test_what_to_install_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "aiohttp", None)
    monkeypatch.delitem(sys.modules, "fsspec.implementations.http", raising=False)
    with pytest.raises(OptionError, match=r"'https://example\.org/claims' cannot be used: .*aiohttp.* installed"):
        canal_json.Decoder(canal_json.Options(claim_check="https://example.org/claims"))
