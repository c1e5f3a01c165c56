"""TiCDC's own codecs, alive, beside ours: `make oracle`. None of this is collected by a plain `pytest`."""

import sys
from pathlib import Path

_TESTS = str(Path(__file__).resolve().parents[1])
if _TESTS not in sys.path:  # as `python -m tests.oracle.record` knows only the folder above
    sys.path.append(_TESTS)
