"""A MariaDB server for one recording, in a temporary directory on loopback, under the current user; and a client."""

from __future__ import annotations

import contextlib
import getpass
import shutil
import subprocess
import time
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from types import TracebackType

PRETENDS = "5.7.19"
"""The version that the server says it has: the connector refuses MariaDB under its own name."""

SERVER_ID = 223344
PORT = 33917
SECONDS = 60
"""How long a server may take to start or to stop, and a statement to end."""


class SqlError(Exception):
    """The server is missing, did not start, or refused a statement."""


def _tool(*names: str) -> str:
    for name in names:
        for folder in (None, "/usr/sbin", "/usr/local/sbin"):
            if found := shutil.which(name, path=folder):
                return found
    raise SqlError(f"{names[0]} is not installed: apt install mariadb-server-core mariadb-client (10.11 was used)")


def make_data(folder: Path) -> None:
    """Makes the data directory of a server that never ran, to be copied."""
    command = [_tool("mariadb-install-db"), "--no-defaults", f"--user={getpass.getuser()}", f"--datadir={folder}"]
    command += ["--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SqlError(f"mariadb-install-db: {done.stdout}{done.stderr}")


def version() -> str:
    """What the server says of itself on the command line."""
    done = subprocess.run([_tool("mariadbd"), "--no-defaults", "--version"], capture_output=True, text=True, check=True)
    return done.stdout.partition("Ver ")[2].strip()


class Server:
    """A running server with a copy of a data directory.

    Args:
        data: what `make_data` made.
        folder: where the copy goes; must not exist.
        options: more options of mariadbd, by name, without dashes.

    Raises:
        SqlError: it did not start; with the end of its log.
    """

    def __init__(self, data: Path, folder: Path, options: dict[str, str] | None = None) -> None:
        shutil.copytree(data, folder)
        self.folder = folder
        self.socket = folder / "socket"
        chosen = {
            "user": getpass.getuser(),
            "datadir": folder,
            "socket": self.socket,
            "bind-address": "127.0.0.1",
            "port": PORT,
            "version": PRETENDS,
            "server-id": SERVER_ID,
            "log-bin": "mysql-bin",
            "binlog-format": "ROW",
            "binlog-row-image": "FULL",
            # An event more for each statement, which the connector would take for DDL.
            "binlog-annotate-row-events": "OFF",
            "character-set-server": "utf8mb4",
            "collation-server": "utf8mb4_general_ci",
            "default-time-zone": "+00:00",
            "innodb-buffer-pool-size": "32M",
            "innodb-log-file-size": "8M",
            "innodb-flush-log-at-trx-commit": "0",
            **(options or {}),
        }
        self._log = (folder / "log").open("wb")
        command = [_tool("mariadbd"), "--no-defaults", "--skip-name-resolve"]
        command += [f"--{name}={value}" for name, value in chosen.items()]
        self._process = subprocess.Popen(command, stdout=self._log, stderr=self._log)
        until = time.monotonic() + SECONDS
        while True:
            try:
                with Session(self) as session:
                    session.rows("select 1")
                return
            except SqlError:
                if self._process.poll() is not None or time.monotonic() > until:
                    self.stop()
                    raise SqlError("mariadbd did not start: " + self._end_of_log()) from None
                time.sleep(0.1)

    def _end_of_log(self) -> str:
        return (self.folder / "log").read_text("utf-8", "replace")[-2000:]

    def binlog(self) -> str:
        """The first binary log as text, rows decoded, times in UTC: MariaDB's own reader of it."""
        command = [_tool("mariadb-binlog"), "--no-defaults", "--verbose", "--base64-output=decode-rows"]
        command.append(str(self.folder / "mysql-bin.000001"))
        done = subprocess.run(command, capture_output=True, check=True, env={"TZ": "UTC"})
        return done.stdout.decode("utf-8", "replace")

    def stop(self) -> None:
        """Stops the server and removes its directory."""
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._log.close()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


class Session:
    """One connection through MariaDB's command line client.

    Args:
        server: where to.

    Raises:
        SqlError: in every method: a statement was refused, the connection is gone, or it took more than `SECONDS`.
    """

    def __init__(self, server: Server) -> None:
        command = [_tool("mariadb"), "--no-defaults", "--user=root", f"--socket={server.socket}", "--batch", "--raw"]
        command += ["--skip-column-names", "--unbuffered", "--comments", "--default-character-set=utf8mb4"]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1
        )
        self._lines: Queue[str | None] = Queue()
        self._asked = 0
        Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line.rstrip("\n"))
        self._lines.put(None)

    def run(self, sql: str) -> None:
        """Runs statements, separated by semicolons; what they answer is dropped."""
        self._ask(sql)

    def rows(self, sql: str) -> list[list[str]]:
        """What a statement answers. No value in it may hold a tab or a line feed: HEX what may."""
        return [line.split("\t") for line in self._ask(sql)]

    def _ask(self, sql: str) -> list[str]:
        assert self._process.stdin is not None
        self._asked += 1
        end = f"--- end of {self._asked}"
        found: list[str] = []
        try:
            self._process.stdin.write(f"{sql.rstrip().rstrip(';')}\n;\nselect '{end}';\n")
            while (line := self._lines.get(timeout=SECONDS)) != end:
                if line is None:
                    raise SqlError("\n".join([*found, f"in: {sql}"]))
                found.append(line)
        except (BrokenPipeError, Empty):
            raise SqlError("\n".join([*found, f"no answer to: {sql}"])) from None
        return found

    def __enter__(self) -> Session:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.wait(SECONDS)
