"""Kafka topics as a source. Problems are reported in one sentence before a stream begins, in bounded time.

Spark's own source waits three minutes for a broker that does not answer, and then prints a plan and a stack trace.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from tidewire.runtime.errors import OptionError
from tidewire.runtime.shortened import HIDDEN, shown
from tidewire.spark.sync.changelog import SourceError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Answer = TypeVar("Answer")
SECONDS = 20
"""How long a broker may take to list the topics."""
SERVERS = "kafka.bootstrap.servers"
WAYS = ("subscribe", "subscribePattern", "assign")
"""Options of Spark's Kafka source that select topics."""
SECRET = re.compile("password|secret|jaas|token|key", re.IGNORECASE)
"""Option names whose values must not be shown."""
UNKNOWN_TOPIC = "UnknownTopicOrPartition"
"""The part of Java's error message that identifies a topic that does not exist."""
_WORD = re.compile(r"""[^\s"'=;]{3,}""")
_LOST = re.compile(r"KAFKA_DATA_LOSS|Some data may have been lost because they are not available in Kafka any more")
_WHICH = (re.compile(r"(?<=Reason: ).+"), re.compile(r"Cannot fetch offset \d+ \(.*?\)"))
"""The part of Spark's error text with the partition whose messages are lost."""
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


def check_topics(spark: SparkSession, options: Mapping[str, str]) -> list[str]:
    """Checks with the brokers that the topics exist. Returns their names.

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
        matching = [one for one in there if pattern.matcher(one).matches()]
        if not matching:
            raise SourceError(
                f"no topic matches {shown(lower['subscribepattern'])}: {servers} has {_listed(there)}; or this user may"
                " not read it"
            )
        return matching
    try:
        wanted = json.loads(lower["assign"]) if "assign" in lower else lower["subscribe"].split(",")
    except ValueError:
        raise OptionError('assign is JSON such as {"tidb-changes": [0, 1, 2]}') from None
    names = [one.strip() for one in wanted]
    for name in names:
        if name not in there:
            near = difflib.get_close_matches(name, there, 1)
            hint = f"did you mean {near[0]}?" if near else f"it has {_listed(there)}; or this user may not read it"
            raise SourceError(f"there is no topic {shown(name)} at {servers}: {hint}")
    return names


class Brokers:
    """The brokers of a source, with an admin client that stays connected from the first question on."""

    def __init__(self, spark: SparkSession, options: Mapping[str, str]) -> None:
        self._spark = spark
        self._options = options
        self._admin: Any = None

    def ids(self, topics: Sequence[str]) -> dict[str, str]:
        """The ids of topics; without topics that do not exist, and those of which the brokers give none, as some before
        Kafka 2.8 and others' do.

        Raises:
            SourceError: no broker answers.
        """
        jvm: Any = self._spark._jvm

        def described(admin: Any) -> dict[str, str]:
            names = jvm.java.util.ArrayList()
            for name in topics:
                names.add(name)
            answers = admin.describeTopics(names).topicNameValues()
            found = {}
            for name in topics:
                try:
                    found[name] = answers.get(name).get().topicId().toString()
                except Py4JJavaError as error:
                    if UNKNOWN_TOPIC not in str(error):
                        raise
            return found

        if self._admin is None:
            self._admin = _client(self._spark, self._options)
        none = jvm.org.apache.kafka.common.Uuid.ZERO_UUID.toString()
        return {name: id for name, id in _answer(self._admin, self._options, described).items() if id != none}

    def offsets(self, partitions: Iterable[tuple[str, int]], since: int | None = None) -> dict[tuple[str, int], int]:
        """The offset of the first message of each partition, or of the first that was sent since a time, in
        milliseconds since 1970; -1 if there is none since then.

        Raises:
            SourceError: no broker answers.
        """
        jvm: Any = self._spark._jvm
        kafka = jvm.org.apache.kafka
        spec = kafka.clients.admin.OffsetSpec
        wanted = {one: kafka.common.TopicPartition(*one) for one in partitions}

        def listed(admin: Any) -> dict[tuple[str, int], int]:
            asked = jvm.java.util.HashMap()
            for one in wanted.values():
                asked.put(one, spec.earliest() if since is None else spec.forTimestamp(since))
            answers = admin.listOffsets(asked)
            return {name: int(answers.partitionResult(one).get().offset()) for name, one in wanted.items()}

        if self._admin is None:
            self._admin = _client(self._spark, self._options)
        return _answer(self._admin, self._options, listed)

    def close(self) -> None:
        """Disconnects; the next question connects again."""
        if self._admin is not None:
            self._admin.close(_at_once(self._spark))
            self._admin = None


def _topics(spark: SparkSession, options: Mapping[str, str]) -> list[str]:
    """All topics of the brokers."""
    admin = _client(spark, options)
    try:
        return sorted(_answer(admin, options, lambda admin: list(admin.listTopics().names().get())))
    finally:
        admin.close(_at_once(spark))


def _client(spark: SparkSession, options: Mapping[str, str]) -> Any:
    """An admin client."""
    jvm: Any = spark._jvm
    settings = jvm.java.util.Properties()
    settings.setProperty("request.timeout.ms", str(SECONDS * 500))
    settings.setProperty("default.api.timeout.ms", str(SECONDS * 1000))
    for name, value in options.items():
        if name.lower().startswith("kafka."):
            settings.setProperty(name[len("kafka.") :], value)
    try:
        return jvm.org.apache.kafka.clients.admin.Admin.create(settings)
    except (Py4JJavaError, PySparkException) as error:
        raise SourceError(f"Kafka cannot be asked: {_said(error, options)}") from None
    except TypeError:  # the name is a Java package, which is not callable: the class does not exist
        raise SourceError(
            "this session cannot read Kafka: its jars are missing; tidewire sync fetches them, and"
            " tidewire.spark.sync.jars.settings(['kafka']) gives the settings of a session that has them"
        ) from None


def _at_once(spark: SparkSession) -> Any:
    """How long a client may take to close."""
    jvm: Any = spark._jvm
    return jvm.java.time.Duration.ZERO


def _answer(admin: Any, options: Mapping[str, str], ask: Callable[[Any], Answer]) -> Answer:
    """What the brokers answer an admin client."""
    try:
        return ask(admin)
    except Py4JJavaError as error:
        said = _said(error, options)
        lower = {name.lower(): value for name, value in options.items()}
        if said.startswith("TimeoutException"):
            said = f"none has answered for {SECONDS} seconds"
        raise SourceError(
            f"no broker of Kafka at {shown(lower[SERVERS])}: {said}. Check {SERVERS}, and whether this machine reaches"
            " it"
        ) from None


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
    text = str(error)
    if _LOST.search(text):
        reasons = (found[0] for one in _WHICH if (found := one.search(text)))
        which = " ".join(next(reasons, "").split()).rstrip(".")
        return (
            f"messages that were not read yet are not there any more{f' ({which})' if which else ''}: the topic's"
            " retention removed them, or it was deleted and created again. Have all rows sent again, and begin anew"
            " with another folder as state"
        )
    first = text.split("\n", 1)[0]
    found = re.search(r"terminated with exception: (.*?)(?: SQLSTATE: \w+)?$", first)
    return found[1] if found else first
