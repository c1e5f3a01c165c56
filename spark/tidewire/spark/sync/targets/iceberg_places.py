"""Whether an Iceberg table is alone in its folder.

Catalogs without `unique-table-location` name a new table's folder by the table, and leave it when the table is renamed:
another table that is then created with the old name is in the same folder, where each would take the other's files for
files of no version.
"""

from __future__ import annotations

import re
import zlib
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from tidewire.spark.sync.targets.confs import java

_BEGIN = 4096
"""So many bytes of a metadata file have the table's id."""
_ID = re.compile(rb'"table-uuid"\s*:\s*"([^"]+)"')


def others(spark: SparkSession, table: Any) -> bool:
    """Whether the folder of a table has metadata of another one."""
    current = table.operations().current()
    own = {str(one.file()) for one in current.previousFiles()} | {str(current.metadataFileLocation())}
    names = {one.rpartition("/")[2] for one in own}
    id = str(current.uuid()).encode()
    found = (one for one in _metadata(spark, table.location()) if str(one.getName()) not in names)
    return any(_id(spark, one) not in (id, b"") for one in found)


def _metadata(spark: SparkSession, place: str) -> list[Any]:
    """The metadata files in a table's folder."""
    path = java(spark).org.apache.hadoop.fs.Path(place, "metadata")
    files = path.getFileSystem(spark._jsparkSession.sessionState().newHadoopConf())
    try:
        found = files.listStatus(path)
    except Py4JJavaError as error:
        if "FileNotFoundException" in str(error.java_exception.getClass().getName()):
            return []
        raise
    return [one.getPath() for one in found if ".metadata.json" in str(one.getPath().getName())]


def _id(spark: SparkSession, path: Any) -> bytes:
    """The id of the table that a metadata file is of; empty if the file has none, as half of one."""
    stream = path.getFileSystem(spark._jsparkSession.sessionState().newHadoopConf()).open(path)
    try:
        text = bytes(stream.readNBytes(_BEGIN))
    finally:
        stream.close()
    if text.startswith(b"\x1f\x8b"):
        text = zlib.decompressobj(wbits=31).decompress(text)
    found = _ID.search(text)
    return b"" if found is None else found[1]
