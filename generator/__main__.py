"""`python -m tidewire.generator`: spec/ -> generated/, or whether generated/ is what spec/ says.

Exit status: 0 when all is well, 1 when the spec has problems or, with --check, when generated/ differs.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .check import load_spec
from .freshness import differences, write
from .printing import print_files
from .problems import report

ROOT = Path(__file__).resolve().parent.parent


def main(arguments: list[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m tidewire.generator", description="Prints the codecs that spec/ describes."
    )
    parser.add_argument("--spec", type=Path, default=ROOT / "spec", help="directory of the specs (default: spec/)")
    parser.add_argument("--shared", type=Path, help="where to find the shared files that the directory lacks")
    parser.add_argument(
        "--out", type=Path, default=ROOT / "generated", help="directory to print to (default: generated/)"
    )
    parser.add_argument("--check", action="store_true", help="write nothing; show how the directory differs")
    options = parser.parse_args(arguments)
    spec, problems = load_spec(options.spec, options.shared)
    if spec is None:
        sys.stderr.write(report(problems))
        return 1
    files = print_files(spec)
    if not options.check:
        done = write(options.out, files)
        sys.stdout.write("".join(f"{line}\n" for line in done) or f"{options.out.name}/ is what the specs say\n")
        return 0
    found = differences(options.out, files)
    if found:
        sys.stdout.write(found)
        sys.stderr.write(f"{options.out.name}/ is not what {options.spec.name}/ says: run make generate\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
