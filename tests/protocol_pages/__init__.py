"""The pages of the protocols, docs/protocols/, and the real messages on them."""

import sys
from pathlib import Path

_TESTS = str(Path(__file__).resolve().parents[1])
if _TESTS not in sys.path:  # as `python -m tests.protocol_pages` knows only the folder above
    sys.path.append(_TESTS)
