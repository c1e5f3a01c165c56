"""`tidewire sync` in its own process, which gets a signal while its first table is written; Java gets it, too, where
the whole group of processes does.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

from pyspark import SparkContext

from tidewire.cli.__main__ import app
from tidewire.spark.sync.steps import Steps


def main(path: str, name: str, group: str = "") -> None:
    """The command, with a signal."""
    was = Steps.do
    left = iter((signal.Signals[name],))

    def do(*args: Any, **named: Any) -> Any:
        for one in left:
            os.kill(os.getpid(), one)
            if group:
                java: Any = SparkContext._gateway
                os.kill(java.proc.pid, one)
                java.proc.wait()
        return was(*args, **named)

    Steps.do = do  # type: ignore[method-assign]
    app(["sync", path])


if __name__ == "__main__":
    main(*sys.argv[1:])
