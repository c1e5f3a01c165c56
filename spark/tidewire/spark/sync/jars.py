"""The jars that Spark needs for Kafka, Iceberg, Delta and S3: fetched once from Maven Central into the user's cache.

They are fetched with Ivy, which pyspark ships, without transitive dependencies: Spark has those, or they are listed
here. Spark's own `spark.jars.packages` fetches versions that clash with Spark's.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from tidewire.runtime.errors import TidewireError
from tidewire.runtime.whole_files import LockedError, locked
from tidewire.spark.sync.s3 import is_s3, s3_files, s3_settings

SECONDS = 900
"""The longest time for fetching, and for waiting until another process has fetched."""
_SETTINGS = """\
<ivysettings>
  <settings defaultResolver="central"/>
  <timeout-constraints>
    <timeout-constraint name="soon" connectionTimeout="20000" readTimeout="120000"/>
  </timeout-constraints>
  <resolvers><ibiblio name="central" m2compatible="true" timeoutConstraint="soon"/></resolvers>
</ivysettings>
"""
_WANTED = """\
<ivy-module version="2.0" xmlns:m="http://ant.apache.org/ivy/maven">
  <info organisation="tidewire" module="fetched"/>
  <dependencies>
{0}  </dependencies>
</ivy-module>
"""
_ONE = """\
    <dependency org="{group}" name="{name}" rev="{version}" transitive="false" conf="default->default">
      {artifact}
    </dependency>
"""


class JarError(TidewireError, RuntimeError):
    """A file is not available from Maven Central; the text says what was tried and what to do."""


class Jar(NamedTuple):
    """A jar of Maven Central."""

    group: str
    name: str
    version: str

    @property
    def file(self) -> str:
        """Its file name in the cache."""
        return f"{self.name}-{self.version}.jar"

    def __str__(self) -> str:
        return f"{self.group}:{self.name}:{self.version}"


class Kind(NamedTuple):
    """Jars that serve one purpose."""

    title: str
    size: str
    jars: tuple[Jar, ...]


KINDS = {
    "kafka": Kind(
        "Spark's reader and writer of Kafka",
        "10 MB",
        (
            Jar("org.apache.spark", "spark-sql-kafka-0-10_2.13", "4.1.3"),
            Jar("org.apache.spark", "spark-token-provider-kafka-0-10_2.13", "4.0.0"),
            Jar("org.apache.kafka", "kafka-clients", "3.9.1"),
            Jar("org.apache.commons", "commons-pool2", "2.12.1"),
        ),
    ),
    "avro": Kind(
        "Spark's reader of Avro",
        "90 kB",
        (Jar("org.apache.spark", "spark-avro_2.13", "4.1.1"),),
    ),
    "delta": Kind(
        "Delta Lake",
        "13 MB",
        tuple(
            Jar("io.delta", name, "4.4.0")
            for name in (
                "delta-spark_4.1_2.13",
                "delta-storage",
                "delta-kernel-api",
                "delta-kernel-defaults",
                "delta-kernel-unitycatalog",
            )
        ),
    ),
    "iceberg": Kind(
        "Apache Iceberg",
        "62 MB",
        (
            Jar("org.apache.iceberg", "iceberg-spark-runtime-4.1_2.13", "1.12.0"),
            Jar("org.xerial", "sqlite-jdbc", "3.50.3.0"),
        ),
    ),
    "s3": Kind(
        "S3, for Spark and for Iceberg",
        "71 MB",
        (
            Jar("org.apache.hadoop", "hadoop-aws", "3.4.2"),
            # it has most of AWS's client, whose own bundle is of 640 MB
            Jar("org.apache.iceberg", "iceberg-aws-bundle", "1.12.0"),
            Jar("software.amazon.awssdk", "s3-transfer-manager", "2.54.17"),
            Jar("software.amazon.awssdk", "apache-client", "2.54.17"),
        ),
    ),
}
"""The versions that were tested together, with Spark 4.1."""
BUSY = 60_000
"""Milliseconds that a writer of a catalog in a folder waits for another writer."""
SPARK = "4.1"
"""The version of Spark that these jars are for."""
EXTENSIONS = {
    "delta": "io.delta.sql.DeltaSparkSessionExtension",
    "iceberg": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
}
"""The SQL extensions of a session, by kind."""


def cache() -> Path:
    """The folder of all fetched files."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tidewire"


def jars(kinds: Iterable[str], say: Callable[[str], None] | None = None) -> list[Path]:
    """The files of these kinds, fetched if the cache lacks them. They must not be modified.

    Args:
        kinds: keys of `KINDS`.
        say: receives lines of progress; None: they go to stderr.

    Raises:
        JarError: they cannot be fetched, or there are none for this version of Spark.
    """
    import pyspark

    from tidewire.spark import java

    kinds = list(kinds)
    if kinds and not pyspark.__version__.startswith(f"{SPARK}."):
        raise JarError(
            f"the jars that Tidewire fetches are for Spark {SPARK}, and this is {pyspark.__version__}: name those for"
            " it in the session's setting spark.jars"
        )
    found = []
    for kind in kinds:
        missing = [one for one in KINDS[kind].jars if not (cache() / one.file).exists()]
        if missing:
            fetch(KINDS[kind], java.find().executable, say or _to_stderr)
        found += [cache() / one.file for one in KINDS[kind].jars]
    return found


def settings(kinds: Sequence[str], say: Callable[[str], None] | None = None) -> dict[str, str]:
    """The settings that a session needs: jars and extensions, Delta's catalog, and how S3 is reached.

    Args:
        kinds: of `KINDS`.
        say: as in `jars`.

    Raises:
        JarError: as `jars`.
    """
    made = {"spark.jars": ",".join(map(str, jars(kinds, say)))}
    if extensions := [EXTENSIONS[one] for one in kinds if one in EXTENSIONS]:
        made["spark.sql.extensions"] = ",".join(extensions)
    if "delta" in kinds:
        made["spark.sql.catalog.spark_catalog"] = "org.apache.spark.sql.delta.catalog.DeltaCatalog"
    return {**made, **s3_settings()} if "s3" in kinds else made


def iceberg_catalog(name: str, warehouse: str | None, make: bool = True, names: str | None = None) -> dict[str, str]:
    """The settings of an Iceberg catalog: a file of SQLite with the names of tables, or a REST catalog.

    A folder with tables but no such file is a catalog of Hadoop's type, which cannot rename tables, and stays one. The
    catalog's cache is off: each session has its own, and would read outdated tables of another session.

    Args:
        name: of the catalog.
        warehouse: a local folder, a URL in S3, or the name that a REST catalog has for it, which may have only one.
        make: whether to create folder and file; otherwise a missing catalog has no tables.
        names: the local file, or the URL of a REST catalog; None: `catalog.db` in the warehouse, a local folder then.
    """
    catalog = f"spark.sql.catalog.{name}"
    settings = {catalog: "org.apache.iceberg.spark.SparkCatalog", f"{catalog}.cache-enabled": "false"}
    rest = names is not None and "://" in names
    if warehouse is not None:
        warehouse = warehouse if rest or "://" in warehouse else os.path.abspath(warehouse)
        settings[f"{catalog}.warehouse"] = warehouse
        if is_s3(warehouse):
            settings |= {f"{catalog}.{one}": value for one, value in s3_files().items()}
    if rest:
        return {**settings, f"{catalog}.type": "rest", f"{catalog}.uri": str(names)}
    folder = Path(warehouse or "")
    file = folder / "catalog.db" if names is None else Path(os.path.abspath(names))
    hints = ("*/" * levels + "metadata/version-hint.text" for levels in range(1, 6))
    if names is None and not file.exists() and any(any(folder.glob(hint)) for hint in hints):
        return {**settings, f"{catalog}.type": "hadoop"}
    if make:
        file.parent.mkdir(parents=True, exist_ok=True)
    place = str(file) if make or file.exists() else "file:tidewire?mode=memory&cache=shared"
    return {
        **settings,
        f"{catalog}.type": "jdbc",
        f"{catalog}.uri": f"jdbc:sqlite:{place}{'&' if '?' in place else '?'}busy_timeout={BUSY}",
        f"{catalog}.jdbc.schema-version": "V1",
        f"{catalog}.init-catalog-tables": "true",
        # a table that takes the name of a renamed one gets a folder of its own
        f"{catalog}.unique-table-location": "true",
    }


def fetch(kind: Kind, java: str, say: Callable[[str], None]) -> list[Path]:
    """The files of a kind; missing ones are fetched by one call.

    Args:
        kind: the jars.
        java: an executable, of Java 8 or newer.
        say: receives lines of progress.

    Raises:
        JarError: they cannot be fetched.
    """
    places = [cache() / one.file for one in kind.jars]

    def made(folder: Path) -> None:
        missing = [one for one in kind.jars if not (cache() / one.file).exists()]
        say(f"fetching {kind.title} ({kind.size}) from Maven Central, once, into {cache()}")
        wanted = _WANTED.format("".join(_ONE.format(**one._asdict(), artifact="") for one in missing))
        title = f"{kind.title} ({', '.join(map(str, missing))})"
        retrieved = retrieve(title, folder, wanted, [f"{one.name}-{one.version}.jar" for one in missing], java)
        for one, file in zip(missing, retrieved, strict=True):
            os.replace(file, cache() / one.file)

    once(kind.jars[0].file, lambda: all(one.exists() for one in places), made)
    return places


def once(name: str, there: Callable[[], bool], make: Callable[[Path], None]) -> None:
    """Calls `make` with a folder beside the cache's files unless the files exist; one process at a time.

    Args:
        name: of a lock file in the cache.
        there: whether the files exist.
        make: creates the files.

    Raises:
        JarError: the cache cannot be written, or another process takes too long.
    """
    if there():
        return
    place = cache() / name
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with locked(place, SECONDS):
            if not there():
                with tempfile.TemporaryDirectory(prefix=f"{place.name}.", dir=place.parent) as folder:
                    make(Path(folder))
    except LockedError as error:
        raise JarError(f"{error}: it may hang; end it, and try again") from error
    except OSError as error:
        raise JarError(
            f"{place.parent} cannot be written ({error.strerror}): set XDG_CACHE_HOME to a folder that can"
        ) from error


def retrieve(what: str, folder: Path, wanted: str, files: Sequence[str], java: str) -> list[Path]:
    """Calls Ivy.

    Args:
        what: what is fetched, for errors.
        folder: an empty folder.
        wanted: the contents of ivy.xml.
        files: the expected files, as `artifact-revision.ext`.
        java: an executable.

    Raises:
        JarError: a file is missing afterwards.
    """
    (folder / "settings.xml").write_text(_SETTINGS)
    (folder / "ivy.xml").write_text(wanted)
    command = [java, "-jar", str(_ivy()), "-settings", "settings.xml", "-ivy", "ivy.xml", "-cache", "cache"]
    command += ["-retrieve", "retrieved/[artifact]-[revision].[ext]"]
    try:
        done = subprocess.run(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS, check=False
        )
        said = done.stdout
    except subprocess.TimeoutExpired as error:
        said = (error.stdout or b"") + f"\nnot done after {SECONDS} s".encode()
    found = [folder / "retrieved" / file for file in files]
    if not all(one.exists() for one in found):
        # lines of progress consist of dots or colons
        lines = [line.strip() for line in said.decode(errors="replace").splitlines() if not line.startswith("..")]
        raise JarError(
            f"{what} cannot be fetched from Maven Central, which is needed once. Without a network: copy the folder"
            f" {cache()} of a machine that has one, or name the jars in Spark's setting spark.jars. Ivy says: "
            + "; ".join([line for line in lines if line.strip(":")][-15:])
        )
    return found


def _ivy() -> Path:
    spec = find_spec("pyspark")
    assert spec is not None
    assert spec.origin is not None
    (jar,) = Path(spec.origin).parent.glob("jars/ivy-*.jar")
    return jar


def _to_stderr(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
