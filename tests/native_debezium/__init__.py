"""Native Debezium: a recorder of what its MySQL connector writes, and the recordings. `README.md` has the formats."""

import sys
from pathlib import Path

_TESTS = str(Path(__file__).resolve().parents[1])
if _TESTS not in sys.path:  # as `python -m tests.native_debezium.record` knows only the folder above
    sys.path.append(_TESTS)
