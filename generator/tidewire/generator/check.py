"""Loads and checks: returns the contents of a directory of specs, or all that is wrong with it.

Files are loaded, validated against their JSON Schema, converted to the model, and checked by the passes. A file with an
invalid tree or shape is not checked further, but the others are; so one report lists all that can be known at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from . import build_facts, meta, plugins
from .load import Source, YamlNode, load
from .model import Protocol, Spec
from .passes import SHARED_PASSES, STAGES
from .plugins import plugin_of
from .problems import Problem, problem
from .schema_types.sharing import with_shared_chapters

SHARED = ("primitives", "events", "mysql_types")
"""The files shared by all protocols, without suffix. All other YAML files of the directory are protocols."""


def load_spec(directory: Path, shared: Path | None = None) -> tuple[Spec | None, list[Problem]]:
    """The model of all `*.yaml` files in a directory, and all problems, sorted.

    The model is None if there are problems. `shared`: where to look for shared files that the directory lacks (a
    directory with only a protocol). Reports use the directory's own name, so they do not depend on its location. Raises
    OSError if a file cannot be read, and nothing else for any content.
    """
    sources = {path.stem: _source(path) for path in sorted(directory.glob("*.yaml"))}
    if shared is not None:
        for stem in SHARED:
            if stem not in sources and (path := shared / f"{stem}.yaml").is_file():
                sources[stem] = _source(path)
    return check_sources(sources.values(), directory.resolve().name)


def _source(path: Path) -> Source:
    return Source(f"{path.resolve().parent.name}/{path.name}", path.read_bytes())


def check_sources(sources: Iterable[Source], directory: str) -> tuple[Spec | None, list[Problem]]:
    """Like `load_spec`, for files in memory; `directory` is the folder name in reports of missing files."""
    problems: list[Problem] = []
    tops: dict[str, YamlNode] = {}
    files: dict[str, str] = {}
    for source in sources:
        stem = source.stem
        files[stem] = source.name
        top, found = _read(source)
        problems += found
        if top is not None and not found:
            tops[stem] = top
    for stem in SHARED:
        if stem not in files:
            problems.append(
                Problem(f"{directory}/{stem}.yaml", 1, "", "the file is missing", "Every directory of specs needs it.")
            )
    own = {stem: plugins.build(tops[stem], files[stem]) for stem in sorted(tops) if stem not in SHARED}
    protocols = with_shared_chapters(own)
    if all(stem in tops for stem in SHARED):
        primitives, events, types = (tops[stem] for stem in SHARED)
        spec = plugins.derived(
            Spec(
                primitives=build_facts.primitives(primitives),
                events=build_facts.events(events),
                mysql_types=build_facts.mysql_types(types),
                protocols=protocols,
                unreadable=frozenset(files.keys() - tops.keys() - set(SHARED)),
            )
        )
        problems += _passes(spec)
        if not problems:
            problems += (_without_effect(node) for stem in own for node in tops[stem].unread())
        if not problems:
            return spec, []
    return None, sorted(set(problems))


@lru_cache(maxsize=64)
def _read(source: Source) -> tuple[YamlNode | None, tuple[Problem, ...]]:
    """The top node of a file, and the problems of its tree and shape.

    Results are cached: repeated checks read only changed files.
    """
    stem = source.stem
    top, found = load(source)
    if top is not None and not found:
        found = meta.validate(top, stem if stem in SHARED else meta.PROTOCOL)
        if not found and stem not in SHARED:
            found = plugins.layout(top)
    return top, tuple(found)


def _without_effect(node: YamlNode) -> Problem:
    """The problem of a word that the model builder never read."""
    return problem(node.location, "the word has no effect here", "Remove it.")


def _passes(spec: Spec) -> list[Problem]:
    """Problems of the shared files and of the protocols.

    A stage of passes runs for a protocol only if earlier stages found nothing there. If shared files, or protocols that
    the protocol names, have problems, only the first stage runs.
    """
    problems = [found for one in SHARED_PASSES for found in one(spec)]
    shared_is_wrong = bool(problems)
    for protocol in spec.protocols.values():
        problems += _staged(spec, protocol, shared_is_wrong)
    return problems


def _staged(spec: Spec, protocol: Protocol, only_first: bool) -> list[Problem]:
    """The problems of the first stage that finds any."""
    plugin = plugin_of(protocol)
    context = plugin.context(spec, protocol)
    only_first = only_first or not spec.unreadable.isdisjoint(context.other_protocols)
    for stage, shared in sorted(STAGES.items())[: 1 if only_first else None]:
        found = [one for check in (*shared, *plugin.passes.get(stage, ())) for one in check(context)]
        if found:
            return found
    return []
