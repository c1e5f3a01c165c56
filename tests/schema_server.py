"""A schema registry on loopback with Confluent's REST API, which can be stopped and started again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from threading import Thread

from registry_server import RegistryServer, Reply, reply

from tidewire.messages.registry import MemorySchemas, UnknownSchemaError


def answers(schemas: MemorySchemas) -> Reply:
    """What such a registry answers: schemas by id, and ids for schemas."""

    def send(handler: BaseHTTPRequestHandler) -> None:
        _, *parts = handler.path.split("/")
        if handler.command == "POST":
            text = json.loads(handler.body)["schema"]  # type: ignore[attr-defined]
            reply({"id": schemas.id_of(parts[1], text)})(handler)
            return
        try:
            text = schemas.schema(int(parts[-1]))
        except UnknownSchemaError:
            reply({"error_code": 40403, "message": "Schema not found"}, 404)(handler)
        else:
            reply({"schema": text})(handler)

    return send


class SchemaServer:
    """Such a registry, always at the same URL.

    Attributes:
        schemas: what it has.
        asked: the requests, such as ``GET /schemas/ids/7``.
        headers: those of the requests.
    """

    def __init__(self, schemas: MemorySchemas) -> None:
        """It runs when `start` was called."""
        self.schemas = schemas
        self.asked: list[str] = []
        self.headers: list[dict[str, str]] = []
        self._port = 0
        self._server: RegistryServer | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def url_of(self, user: str, password: str) -> str:
        """The URL with a user and a password."""
        return f"http://{user}:{password}@127.0.0.1:{self._port}"

    def start(self) -> None:
        self._server = RegistryServer(answers(self.schemas), port=self._port)
        self._server.asked, self._server.headers = self.asked, self.headers
        self._port = self._server.server_address[1]
        Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def stop(self) -> None:
        """Connections are refused from now on."""
        if self._server is not None:
            self._server.stopped = True
            self._server.shutdown()
            self._server.server_close()
            self._server = None


@contextmanager
def schema_server(schemas: MemorySchemas) -> Iterator[SchemaServer]:
    """A registry that runs while the block does, unless it is stopped."""
    server = SchemaServer(schemas)
    server.start()
    try:
        yield server
    finally:
        server.stop()
