"""The tests named on the page of guarantees exist."""

from __future__ import annotations

import ast
import re

from manual.pages import ROOT, manual

NAMED = re.compile(r"`(test_\w+\.py)::(test_\w+)`")


def test_every_test_that_is_named_is_there() -> None:
    named = NAMED.findall(manual("live-tables-guarantees").read_text(encoding="utf-8"))
    assert len(named) > 8
    for file, name in named:
        (path,) = (one for folder in ("sync", "kafka") for one in (ROOT / "tests" / folder).glob(file))
        tree = ast.parse(path.read_text(encoding="utf-8"))
        assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, (file, name)
