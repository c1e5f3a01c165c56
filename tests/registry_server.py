"""A schema registry on loopback that answers as a test defines, and records its requests."""

from __future__ import annotations

import json
import socket
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

Reply = Callable[[BaseHTTPRequestHandler], None]


def reply(value: object, status: int = 200, **headers: str) -> Reply:
    """An answer: JSON, or bytes as they are."""
    body = value if isinstance(value, bytes) else json.dumps(value).encode()

    def send(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        handler.send_header("Content-Length", str(len(body)))
        for name, text in headers.items():
            handler.send_header(name.replace("_", "-"), text)
        handler.end_headers()
        handler.wfile.write(body)

    return send


def slowly(pause: float, first: bytes, drop: bytes) -> Reply:
    """Some bytes, then others, one piece after each pause, as long as the server runs."""

    def send(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(first)
        while not handler.server.stopped:  # type: ignore[attr-defined]
            handler.wfile.write(drop)
            handler.wfile.flush()
            time.sleep(pause)

    return send


def hanging_up(handler: BaseHTTPRequestHandler) -> None:
    """Half of an answer, then nothing."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"schema": ')
    handler.close_connection = True


class RegistryServer(ThreadingHTTPServer):
    """Gives its replies one after the other, the last again and again."""

    daemon_threads = True

    def __init__(self, *replies: Reply, tls: ssl.SSLContext | None = None, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.tls = tls
        if tls is not None:
            # shakes hands in the thread of the connection, when it is read first
            self.socket = tls.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)
        self.replies = list(replies)
        self.asked: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.bodies: list[bytes] = []
        self.stopped = False

    @property
    def url(self) -> str:
        return f"http{'' if self.tls is None else 's'}://127.0.0.1:{self.server_address[1]}"

    def shutdown_request(self, request: Any) -> None:
        """Says goodbye and hears the client out: what is unread would reset the connection, and the client might miss
        what was said last, such as which certificate is wanted.
        """
        with suppress(OSError):
            request.shutdown(socket.SHUT_WR)
            request.settimeout(1)
            while request.recv(65536):
                pass
        self.close_request(request)

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that have heard enough are the purpose."""


class Handler(BaseHTTPRequestHandler):
    server: RegistryServer

    def do_GET(self) -> None:
        self.server.headers.append({name.lower(): value for name, value in self.headers.items()})
        self.body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.bodies.append(self.body)
        self.server.asked.append(f"{self.command} {self.path}")
        replies = self.server.replies
        (replies.pop(0) if len(replies) > 1 else replies[0])(self)

    do_POST = do_GET

    def log_message(self, format: str, *arguments: object) -> None:
        """Keeps quiet."""


@contextmanager
def serving(*replies: Reply, tls: ssl.SSLContext | None = None) -> Iterator[RegistryServer]:
    """A registry while the block runs; with `tls` one that is asked by https."""
    server = RegistryServer(*replies, tls=tls)
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield server
    finally:
        server.stopped = True
        server.shutdown()
        server.server_close()
