"""A program that others talk to while it runs: started, waited for, stopped; it never outlives who started it."""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from contextlib import ExitStack, suppress
from pathlib import Path

READY_SECONDS = 180
"""How long it may take to answer; 3 on an idle machine."""
STOP_SECONDS = 20
LOG_LINES = 30
PORTS = 20_000, 32_000
GUARD = Path(__file__).with_name("guard.py")


class StartError(Exception):
    """The program did not start; the text has the end of its log."""


class Service(ABC):
    """A program on this machine that can be started, stopped and killed, always at the same address.

    It is in a process group of its own, so that an interrupt from the keyboard is not meant for it, and is ended by a
    guard when this process is gone.
    """

    title: str

    def __init__(self, log: Path) -> None:
        """Nothing is started yet.

        Args:
            log: a file, to which its output is appended.
        """
        self.log = log
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int | None:
        """The process, below which the program runs; None where it does not run."""
        return None if self._process is None else self._process.pid

    @abstractmethod
    def command(self) -> list[str]:
        """What is run."""

    @abstractmethod
    def answers(self) -> bool:
        """Whether it is ready."""

    def start(self) -> None:
        """Starts it, unless it runs, and waits until it answers.

        Raises:
            StartError: it ends, or does not answer in time.
        """
        if self._process is not None:
            return
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(GUARD), str(STOP_SECONDS), *self.command()],
                cwd=self.log.parent,
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        end = time.monotonic() + READY_SECONDS
        while not self.answers():
            code = self._process.poll()
            if code is not None:
                self._gone()
                raise StartError(f"{self.title} ended with code {code} before it answered. {self._end_of_log()}")
            if time.monotonic() > end:
                self.kill()
                raise StartError(f"{self.title} does not answer after {READY_SECONDS} s. {self._end_of_log()}")
            time.sleep(0.1)

    def stop(self) -> None:
        """Ends it as the system does; it is killed when it does not end."""
        if self._process is not None:
            self._gone()

    def kill(self) -> None:
        """Ends it at once."""
        if self._process is not None:
            assert self._process.stdin is not None
            self._process.stdin.write(b"k")
            self._gone()

    def restart(self) -> None:
        """Stops it and starts it again."""
        self.stop()
        self.start()

    def freeze(self) -> None:
        """Requests are taken, and not answered any more."""
        assert self._process is not None
        os.killpg(self._process.pid, signal.SIGSTOP)

    def _gone(self) -> None:
        """Lets the guard end it, and waits for that."""
        assert self._process is not None
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # it has ended
            self._process.stdin.close()
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGCONT)  # of one that is frozen
        self._process.wait()
        self._process = None

    def _end_of_log(self) -> str:
        lines = self.log.read_text("utf-8", errors="replace").splitlines()
        return f"Its log, {self.log}, ends:\n" + "\n".join(lines[-LOG_LINES:])


def free_ports(count: int) -> list[int]:
    """Ports of loopback that nobody listens on.

    They are below those that the system gives to connections that are made: none takes one before it is listened on.
    """
    with ExitStack() as opened:
        found: list[int] = []
        while len(found) < count:
            one = opened.enter_context(socket.socket())
            with suppress(OSError):
                one.bind(("127.0.0.1", random.randint(*PORTS)))
                found.append(int(one.getsockname()[1]))
        return found
