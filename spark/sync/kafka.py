"""Kafka topics as a source. Problems are reported in one sentence before a stream begins, in bounded time.

Spark's own source waits three minutes for a broker that does not answer, and then prints a plan and a stack trace.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from tidewire.runtime.errors import OptionError
from tidewire.runtime.shortened import HIDDEN, shown
from tidewire.spark.sync.changelog import SourceError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SECONDS = 20
"""How long a broker may take to list the topics."""
SERVERS = "kafka.bootstrap.servers"
WAYS = ("subscribe", "subscribePattern", "assign")
"""Options of Spark's Kafka source that select topics."""
SECRET = re.compile("password|secret|jaas|token|key", re.IGNORECASE)
"""Option names whose values must not be shown."""
_WORD = re.compile(r"""[^\s"'=;]{3,}""")
_LISTED = 10
"""The most topics that an error names."""


def options_of(source: Mapping[str, Any]) -> tuple[dict[str, str], str]:
    """The options of Spark's Kafka source, set to read from the first message, and the topics that they select.

    Raises:
        OptionError: they name no brokers or topics, or start at the last message.
    """
    options = {str(name): str(value) for name, value in source.items()}
    lower = {name.lower(): value for name, value in options.items()}
    topics = [lower[name.lower()] for name in WAYS if name.lower() in lower]
    if len(topics) != 1 or SERVERS not in lower:
        raise OptionError(
            "the source lacks kafka.bootstrap.servers, or one of subscribe, subscribePattern and assign: they say"
            " which topics of which brokers are read"
        )
    if lower.get("startingoffsets", "earliest") == "latest":
        raise OptionError("startingOffsets=latest would leave out rows and tables that are in the topic: leave it out")
    if "startingoffsets" not in lower:
        options["startingOffsets"] = "earliest"
    return options, topics[0]


def check_topics(spark: SparkSession, options: Mapping[str, str]) -> None:
    """Checks with the brokers that the topics exist.

    Raises:
        SourceError: topics do not exist, no broker answers, or the session has no Kafka client.
        OptionError: subscribePattern or assign cannot be parsed.
    """
    lower = {name.lower(): value for name, value in options.items()}
    there = _topics(spark, options)
    servers = shown(lower[SERVERS])
    if "subscribepattern" in lower:
        jvm: Any = spark._jvm
        try:
            pattern = jvm.java.util.regex.Pattern.compile(lower["subscribepattern"])
        except (Py4JJavaError, PySparkException) as error:
            raise OptionError(f"subscribePattern is no regular expression of Java: {_said(error, {})}") from None
        if not any(pattern.matcher(one).matches() for one in there):
            raise SourceError(
                f"no topic matches {shown(lower['subscribepattern'])}: {servers} has {_listed(there)}; or this user may"
                " not read it"
            )
        return
    try:
        wanted = json.loads(lower["assign"]) if "assign" in lower else lower["subscribe"].split(",")
    except ValueError:
        raise OptionError('assign is JSON such as {"tidb-changes": [0, 1, 2]}') from None
    for name in (one.strip() for one in wanted):
        if name not in there:
            near = difflib.get_close_matches(name, there, 1)
            hint = f"did you mean {near[0]}?" if near else f"it has {_listed(there)}; or this user may not read it"
            raise SourceError(f"there is no topic {shown(name)} at {servers}: {hint}")


def _topics(spark: SparkSession, options: Mapping[str, str]) -> list[str]:
    """All topics of the brokers."""
    jvm: Any = spark._jvm
    settings = jvm.java.util.Properties()
    settings.setProperty("request.timeout.ms", str(SECONDS * 500))
    settings.setProperty("default.api.timeout.ms", str(SECONDS * 1000))
    for name, value in options.items():
        if name.lower().startswith("kafka."):
            settings.setProperty(name[len("kafka.") :], value)
    try:
        admin = jvm.org.apache.kafka.clients.admin.Admin.create(settings)
    except (Py4JJavaError, PySparkException) as error:
        raise SourceError(f"Kafka cannot be asked: {_said(error, options)}") from None
    except TypeError:  # the name is a Java package, which is not callable: the class does not exist
        raise SourceError(
            "this session cannot read Kafka: its jars are missing; tidewire sync fetches them, and"
            " tidewire.spark.sync.jars.settings(['kafka']) gives the settings of a session that has them"
        ) from None
    try:
        return sorted(admin.listTopics().names().get())
    except Py4JJavaError as error:
        said = _said(error, options)
        lower = {name.lower(): value for name, value in options.items()}
        if said.startswith("TimeoutException"):
            said = f"none has answered for {SECONDS} seconds"
        raise SourceError(
            f"no broker of Kafka at {shown(lower[SERVERS])}: {said}. Check {SERVERS}, and whether this machine reaches"
            " it"
        ) from None
    finally:
        admin.close(jvm.java.time.Duration.ZERO)


def _said(error: Py4JJavaError | PySparkException, options: Mapping[str, str]) -> str:
    """Kafka's error text, without secret option values."""
    said = str(error)
    if isinstance(error, Py4JJavaError):
        found = error.java_exception
        while found.getCause() is not None:
            found = found.getCause()
        said = f"{found.getClass().getSimpleName()}: {found.getMessage()}"
    for name, value in options.items():
        if SECRET.search(name) and value:
            said = said.replace(value, HIDDEN)
            for word in sorted(
                _WORD.findall(value), key=len, reverse=True
            ):  # Kafka quotes parts of what it cannot parse
                said = said.replace(word, HIDDEN)
    return " ".join(said.split())


def _listed(topics: list[str]) -> str:
    if not topics:
        return "no topics"
    more = f" and {len(topics) - _LISTED:,} more" if len(topics) > _LISTED else ""
    return ", ".join(map(shown, topics[:_LISTED])) + more


def why(error: Exception) -> str:
    """Why a stream ended, without plan and stack trace."""
    first = str(error).split("\n", 1)[0]
    found = re.search(r"terminated with exception: (.*?)(?: SQLSTATE: \w+)?$", first)
    return found[1] if found else first
