"""A REST catalog of Iceberg on loopback: Iceberg's own handlers of requests, in front of its catalog in a file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any

from flask import Flask, Response, request
from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession
from werkzeug.serving import make_server

from tidewire.spark.sync.targets.confs import java

_CODES = {
    "NoSuchTableException": 404, "NoSuchNamespaceException": 404, "AlreadyExistsException": 409,
    "CommitFailedException": 409, "IllegalArgumentException": 400,
}


class _Handlers:
    """Iceberg's handlers, which take and give objects of Java."""

    def __init__(self, spark: SparkSession, catalog: Any) -> None:
        self._gateway: Any = spark.sparkContext._gateway
        self._catalog = catalog
        self.iceberg = java(spark).org.apache.iceberg
        jackson = self.iceberg.shaded.com.fasterxml.jackson
        self._mapper = jackson.databind.ObjectMapper()
        self._mapper.configure(jackson.databind.DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, False)
        self._mapper.setPropertyNamingStrategy(
            getattr(jackson.databind, "PropertyNamingStrategies$KebabCaseStrategy")()
        )
        fields = getattr(jackson.annotation, "JsonAutoDetect$Visibility").ANY
        self._mapper.setVisibility(jackson.annotation.PropertyAccessor.FIELD, fields)
        self.iceberg.rest.RESTSerializers.registerAll(self._mapper)

    def answer(self, name: str, *args: Any) -> Response:
        """What a handler answers; nothing where it gives nothing."""
        try:
            found = getattr(self.iceberg.rest.CatalogHandlers, name)(self._catalog, *args)
        except Py4JJavaError as error:
            kind, text = error.java_exception.getClass().getSimpleName(), error.java_exception.getMessage()
            code = _CODES.get(kind, 500)
            return _json(json.dumps({"error": {"message": text, "type": kind, "code": code}}), code)
        return Response(status=204) if found is None else _json(self._mapper.writeValueAsString(found))

    def body(self, kind: str) -> Any:
        """The body of the request, as an object of a class."""
        loader = self._catalog.getClass().getClassLoader()
        of = loader.loadClass(f"org.apache.iceberg.rest.requests.{kind}")
        return self._mapper.readValue(request.get_data(as_text=True), of)

    def namespace(self, name: str) -> Any:
        """The namespace of a name."""
        levels = self._gateway.new_array(self._gateway.jvm.String, 1)
        levels[0] = name
        return self.iceberg.catalog.Namespace.of(levels)

    def table(self, namespace: str, name: str) -> Any:
        """The identifier of a table."""
        return self.iceberg.catalog.TableIdentifier.of(self.namespace(namespace), name)


def _json(text: str, code: int = 200) -> Response:
    return Response(text, code, content_type="application/json")


def _app(of: _Handlers) -> Flask:
    app = Flask("catalog")
    in_namespace = "/v1/namespaces/<name>"
    table = f"{in_namespace}/tables/<table>"

    @app.get("/v1/config")
    def config() -> Response:
        return _json('{"defaults": {}, "overrides": {}}')

    @app.post("/v1/namespaces")
    def create_namespace() -> Response:
        return of.answer("createNamespace", of.body("CreateNamespaceRequest"))

    @app.get(in_namespace)
    def load_namespace(name: str) -> Response:
        return of.answer("namespaceExists" if request.method == "HEAD" else "loadNamespace", of.namespace(name))

    @app.post(f"{in_namespace}/tables")
    def create_table(name: str) -> Response:
        staged = json.loads(request.get_data()).get("stage-create")
        body = of.body("CreateTableRequest")
        return of.answer("stageTableCreate" if staged else "createTable", of.namespace(name), body)

    @app.get(table)
    def load_table(name: str, table: str) -> Response:
        if request.method == "HEAD":
            return of.answer("tableExists", of.table(name, table))
        every = getattr(of.iceberg.rest, "RESTCatalogProperties$SnapshotMode").ALL
        return of.answer("loadTable", of.table(name, table), every)

    @app.post(table)
    def update_table(name: str, table: str) -> Response:
        return of.answer("updateTable", of.table(name, table), of.body("UpdateTableRequest"))

    @app.post("/v1/tables/rename")
    def rename_table() -> Response:
        return of.answer("renameTable", of.body("RenameTableRequest"))

    @app.post(f"{table}/metrics")
    def metrics(name: str, table: str) -> Response:
        return Response(status=204)

    return app


@contextmanager
def rest_catalog(spark: SparkSession, file: str, warehouse: str) -> Iterator[str]:
    """The URL of a catalog that runs while the block does.

    Args:
        spark: a session with Iceberg; the catalog runs in its JVM.
        file: of SQLite, with the names of tables.
        warehouse: a folder.
    """
    jvm = java(spark)
    properties = jvm.java.util.HashMap()
    for name, value in {
        "uri": f"jdbc:sqlite:{file}",
        "warehouse": warehouse,
        "jdbc.schema-version": "V1",
        "unique-table-location": "true",
    }.items():
        properties.put(name, value)
    catalog = jvm.org.apache.iceberg.jdbc.JdbcCatalog()
    catalog.setConf(spark._jsparkSession.sessionState().newHadoopConf())
    catalog.initialize("behind", properties)
    server = make_server("127.0.0.1", 0, _app(_Handlers(spark, catalog)), threaded=True)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        catalog.close()
