"""What decides needs no Spark, and what needs it says so."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

WITHOUT = "import sys; sys.modules['pyspark'] = None; "
"""No import of PySpark succeeds behind this."""


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", WITHOUT + code], capture_output=True, text=True, check=False)


def test_plans_and_manifests_need_no_spark() -> None:
    done = run(
        "import tidewire.spark.sync.plan, tidewire.spark.sync.manifests\n"
        "print([name for name in sys.modules if 'arrow' in name or 'pandas' in name])"
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "[]\n", "")


def test_what_needs_spark_says_how_it_is_installed() -> None:
    done = run("from tidewire.spark import from_ticdc")
    assert done.returncode == 1
    assert "ImportError: tidewire.spark needs PySpark and pandas: pip install" in done.stderr


def test_messages_that_cannot_be_read_are_listed_without_threads(tmp_path: Path) -> None:
    """A thread of Arrow that still runs when the process ends aborts it."""
    (tmp_path / "staged").mkdir()
    rows = {"reason": ["it is too long"], "topic": ["t"], "partition": [0], "offset": [7]}
    rows |= {"table": ["shop.t"], "row_key": ["[1]"], "commit_ts": [9]}
    parquet.write_table(pa.table(rows), tmp_path / "staged" / "letters.parquet")
    done = run(
        "import os\n"
        "from tidewire.spark.sync.letters import told\n"
        "before = len(os.listdir('/proc/self/task'))\n"
        f"(one,) = told({str(tmp_path)!r}, ['staged/letters.parquet'])\n"
        "print(one.reason, len(os.listdir('/proc/self/task')) - before)"
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "it is too long 0\n", "")


def test_the_package_lists_what_it_has() -> None:
    done = run("import tidewire.spark as s; print(set(s.__all__) <= set(dir(s)), hasattr(s, 'nothing'))")
    assert (done.returncode, done.stdout) == (0, "True False\n")


def test_the_package_of_synchronisations_is_called_as_its_function() -> None:
    """Whatever was imported before: `tidewire.spark.sync` is a package, under the name that the function has."""
    said = "print(len({id(one) for one in found}), callable(found[0]), sync.sync.__module__)"
    code = "from tidewire.spark import sync, snapshot; import tidewire.spark.sync.plan as plan, tidewire.spark as spark"
    found = "; found = [sync, spark.sync, sys.modules['tidewire.spark.sync']]; "
    for first in ("", "import tidewire.spark.sync.plan; ", "from tidewire.spark.sync import sync; "):
        done = subprocess.run(
            [sys.executable, "-c", f"import sys; {first}{code}{found}{said}"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.stdout, done.stderr) == ("1 True tidewire.spark.sync.run\n", "")
