"""`python -m tidewire.generator`: prints generated/ and docs/protocols/ from spec/, or checks that they are up to date.

For the specs of this repository it also prints the JSON Schema for editors, spec/spec.schema.json, and the tables of
words in the reference of the language, spec/README.md.

Exit status: 0 on success, 1 if the spec has problems or, with --check, if a printed file differs.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .bundle import FILE, bundle
from .check import load_spec
from .freshness import differences, differs, named, overwrite, write
from .meta import SCHEMAS
from .pages.printing import print_pages
from .pages.word_tables import PAGE, with_word_tables
from .printing import print_files
from .problems import report

ROOT = Path(__file__).resolve().parents[3]
OUT, PAGES = ROOT / "generated/tidewire", ROOT / "docs" / "protocols"
EXAMPLES = "examples"
"""The folder of the specs with a real message of each protocol, in Markdown files named after the protocols."""


def main(arguments: list[str] | None = None) -> int:
    """Runs the command. Returns its exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m tidewire.generator", description="Prints the codecs that spec/ describes."
    )
    parser.add_argument("--spec", type=Path, default=ROOT / "spec", help="directory of the specs (default: spec/)")
    parser.add_argument("--shared", type=Path, help="where to find the shared files that the directory lacks")
    parser.add_argument(
        "--out", type=Path, default=OUT, help="directory to print to, which has nothing else (default: generated/)"
    )
    parser.add_argument(
        "--pages", type=Path, help="directory to print pages to (default: docs/protocols/; none with another --out)"
    )
    parser.add_argument("--check", action="store_true", help="write nothing; show how the directory differs")
    options = parser.parse_args(arguments)
    spec, problems = load_spec(options.spec, options.shared)
    if spec is None:
        sys.stderr.write(report(problems))
        return 1
    whole = {options.out: print_files(spec)}
    pages = PAGES if options.out == OUT and options.pages is None else options.pages
    if pages is not None:
        examples = {path.stem: path.read_text(encoding="utf-8") for path in (options.spec / EXAMPLES).glob("*.md")}
        whole[pages] = print_pages(spec, examples)
    ours = {}
    if options.spec.resolve() == SCHEMAS.parent:
        ours = {FILE: bundle(), PAGE: with_word_tables((options.spec / PAGE).read_text(encoding="utf-8"))}
    if not options.check:
        done = [line for directory, files in whole.items() for line in write(directory, files)]
        done += overwrite(options.spec, ours)
        known = ", ".join(f"{named(directory)}/" for directory in whole)
        sys.stdout.write("".join(f"{line}\n" for line in done) or f"what the specs say is there already: {known}\n")
        return 0
    fresh = 0
    checked = [(differences(directory, files), f"{named(directory)}/") for directory, files in whole.items()]
    checked += [(differs(options.spec, {name: text}), name) for name, text in ours.items()]
    for found, what in checked:
        if found:
            sys.stdout.write(found)
            sys.stderr.write(f"{what} is not what {named(options.spec)}/ says: run make generate\n")
            fresh = 1
    return fresh


if __name__ == "__main__":
    sys.exit(main())
