"""`python -m tests.printing`: writes anew what test_printing.py expects of the protocols that use every word."""

from __future__ import annotations

import shutil

from tidewire.generator.check import load_spec
from tidewire.generator.printing import print_files
from tidewire.generator.problems import report

from .test_printing import GOLDEN, SPEC, WORDS

spec, problems = load_spec(WORDS, SPEC)
if spec is None:
    raise SystemExit(report(problems))
shutil.rmtree(GOLDEN, ignore_errors=True)
for name, text in print_files(spec).items():
    if "/" in name:
        path = GOLDEN / f"{name}.golden"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
