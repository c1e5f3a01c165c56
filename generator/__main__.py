"""`python -m tidewire.generator`: spec/ -> generated/, or whether generated/ is what spec/ says.

With the specs of this repository it prints the JSON Schema for editors, too: spec/spec.schema.json.

Exit status: 0 when all is well, 1 when the spec has problems or, with --check, when generated/ differs.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .bundle import FILE, bundle
from .check import load_spec
from .freshness import differences, differs, overwrite, write
from .meta import SCHEMAS
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
    ours = {FILE: bundle()} if options.spec.resolve() == SCHEMAS.parent else {}
    if not options.check:
        done = write(options.out, files) + overwrite(options.spec, ours)
        sys.stdout.write("".join(f"{line}\n" for line in done) or f"{options.out.name}/ is what the specs say\n")
        return 0
    fresh = 0
    for found, what in ((differences(options.out, files), f"{options.out.name}/"), (differs(options.spec, ours), FILE)):
        if found:
            sys.stdout.write(found)
            sys.stderr.write(f"{what} is not what {options.spec.name}/ says: run make generate\n")
            fresh = 1
    return fresh


if __name__ == "__main__":
    sys.exit(main())
