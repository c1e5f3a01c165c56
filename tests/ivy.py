"""Java programs for tests, fetched once into the user's cache in the same way as the product fetches jars."""

from __future__ import annotations

import os
import tarfile
from pathlib import Path
from typing import NamedTuple

from tidewire.spark.sync.jars import cache, once, retrieve

_WANTED = """\
<ivy-module version="2.0" xmlns:m="http://ant.apache.org/ivy/maven">
  <info organisation="tidewire" module="tests"/>
  <dependencies>
    <dependency org="{0.group}" name="{0.name}" rev="{0.version}" transitive="false" conf="default->default">
      <artifact name="{0.name}" type="tar.gz" ext="tar.gz" m:classifier="{0.classifier}"/>
    </dependency>
  </dependencies>
</ivy-module>
"""


class Program(NamedTuple):
    """An archive of Maven Central, as tar.gz."""

    title: str
    group: str
    name: str
    version: str
    classifier: str
    size: str

    def __str__(self) -> str:
        return f"{self.title} ({self.group}:{self.name}:{self.version}, {self.size})"


def unpacked(program: Program, java: str) -> Path:
    """The folder with what is in a program's archive. Never written to.

    Args:
        program: is fetched if the cache does not have it.
        java: an executable, of Java 8 or newer.

    Raises:
        JarError: it cannot be fetched.
    """
    name = f"{program.name}-{program.version}"
    place = cache() / name

    def make(folder: Path) -> None:
        (archive,) = retrieve(str(program), folder, _WANTED.format(program), [f"{name}.tar.gz"], java)
        with tarfile.open(archive) as packed:
            packed.extractall(folder / "unpacked", filter="data")
        os.rename(folder / "unpacked", place)

    once(name, place.exists, make)
    return place
