"""The oracle as a process: JSON lines out, answers in. `oracle/README.md` has the form of the lines."""

from __future__ import annotations

import base64
import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
VARIABLE = "TIDEWIRE_ORACLE"
"""Environment variable that names another binary."""

Json = dict[str, Any]


class OracleError(Exception):
    """The oracle is not there, died of a request or refused it as a whole."""


def binary() -> Path | None:
    """The built oracle: what `TIDEWIRE_ORACLE` names, else `build/oracle`; None when there is none."""
    path = Path(os.environ.get(VARIABLE) or ROOT / "build" / "oracle")
    return path if os.access(path, os.X_OK) and path.is_file() else None


class Oracle:
    """A running oracle. One request at a time; when it dies, the next request starts it again.

    Args:
        path: the binary; by default that of `binary()`.

    Raises:
        OracleError: there is no binary.
    """

    def __init__(self, path: Path | None = None) -> None:
        found = path or binary()
        if found is None:
            raise OracleError(f"there is no oracle: `make oracle-build` makes build/oracle, or name it in {VARIABLE}")
        self.path = found
        self.restarts = -1
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Oracle:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Ends the process."""
        if self._process is not None:
            if self._process.stdin:
                self._process.stdin.close()
            self._process.wait()
            self._process = None

    def ask(self, request: Mapping[str, Any]) -> Json:
        """The answer to a request, as it is.

        Raises:
            OracleError: the process died; the next request starts another one.
        """
        if self._process is None:
            self._process = subprocess.Popen([str(self.path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            self.restarts += 1
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps(request, ensure_ascii=False).encode() + b"\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except BrokenPipeError:
            line = b""
        if not line:
            self._process = None
            raise OracleError(f"the oracle died of a request (exit code {process.wait()})")
        answer: Json = json.loads(line)
        return answer

    def checked(self, request: Mapping[str, Any]) -> Json:
        """The answer to a request.

        Raises:
            OracleError: the oracle refuses it.
        """
        answer = self.ask(request)
        if answer["error"] is not None:
            raise OracleError(str(answer["error"]))
        return answer

    def encode(
        self,
        protocol: str,
        events: Sequence[Json],
        options: Mapping[str, Any] | None = None,
        *,
        tables: Sequence[Json] = (),
        flush: str = "commit-ts",
    ) -> Json:
        """Messages of events: an answer with `messages`, `registry` and `claims`.

        Args:
            protocol: TiCDC's name of it.
            events: in the oracle's form.
            options: under TiCDC's names.
            tables: what the events' `table_ref` count in.
            flush: when messages are built: commit-ts, run or event.

        Raises:
            OracleError: the request is refused; an event that is refused has an `error` in its message instead.
        """
        request = {"protocol": protocol, "options": options or {}, "tables": tables, "events": events, "flush": flush}
        return self.checked(request)

    def decode(
        self,
        protocol: str,
        values: Sequence[bytes | None],
        options: Mapping[str, Any] | None = None,
        *,
        keys: Sequence[bytes | None] | None = None,
        claims: Sequence[Json] = (),
        registry: Sequence[Json] = (),
        wire: bool = False,
        fresh: bool = False,
    ) -> list[Json]:
        """What TiCDC's decoder reads in messages; one that fails gives an event of kind `error`.

        Args:
            protocol: TiCDC's name of it.
            values: the messages' values.
            options: under TiCDC's names.
            keys: the messages' keys; without them they have none.
            claims: claim-check files, name and content (base64).
            registry: the schemas that the messages name: id, subject, version and text.
            wire: Craft only: columns as they are on the wire, without TiCDC's table description.
            fresh: a new decoder for every message, which has not learned any table.

        Raises:
            OracleError: the request is refused.
        """
        messages = [
            {
                "key": key and base64.b64encode(key).decode(),
                "value": None if value is None else base64.b64encode(value).decode(),
            }
            for key, value in zip(keys or [None] * len(values), values, strict=True)
        ]
        decode: Json = {"protocol": protocol, "options": options or {}, "messages": messages, "claims": list(claims)}
        decode |= {"wire": wire, "fresh": fresh, "registry": list(registry)}
        return list(self.checked({"decode": decode}).get("events") or [])

    def sql(self, scenario: Mapping[str, Any]) -> list[Json]:
        """The events of a scenario of SQL.

        Raises:
            OracleError: a step failed; the text says which.
        """
        return list(self.checked({"sql": scenario}).get("events") or [])

    def version(self) -> Mapping[str, str]:
        """What was built in: versions of Go, TiCDC and TiDB."""
        found: Mapping[str, str] = self.checked({"version": True})["version"]
        return found
