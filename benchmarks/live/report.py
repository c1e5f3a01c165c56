"""The figures of live tables, beside their targets."""

from __future__ import annotations

import textwrap
from typing import Any

from rich.console import Console
from rich.table import Table

BEGIN, END = "<!-- figures -->", "<!-- end of figures -->"
"""Between which the page has them."""
PARTS = ("staging", "merging", "engines", "warm", "large")
"""What is measured."""
STAGING = {3: 1.15, 20: 1.15, 1000: 1.5}
"""By number of tables how many times the CPU of decoding alone staging may take."""
MERGING = {3: 90, 20: 150}
"""By number of tables the most CPU of a message from Kafka to published, in µs."""
NATIVE = {"delta": {1: 45, 3: 55, 20: 60}, "iceberg": {1: 45, 3: 60, 20: 85}}
"""By format and number of tables the most CPU of a message where workers merge, in µs."""
OF_MERGE = 0.25
"""The most of the CPU of MERGE into Delta."""
BY_HAND = 0.7
"""The most of the CPU of what people write."""
WARM, OWN = 2.5, 0.2
"""CPU seconds of a warm micro-batch, and wall seconds of it that are Spark's own."""
WALL = {"delta": 1.2, "iceberg": 1.6}
"""By format the wall seconds of a warm micro-batch."""
LARGE, WRITTEN = 1.0, 2
"""CPU seconds to merge a micro-batch into a large table, and what is written in sizes of what was staged."""


def lines(found: dict[str, Any]) -> list[tuple[str, str, str, bool]]:
    """What was measured, its target, the figure, and whether that is reached."""
    rows = []
    for one in found.get("staging", ()):
        most = STAGING[one["tables"]]
        shown = f"{one['ratio']:.2f} ({one['stage']['cpu_us']} / {one['decode']['cpu_us']} µs)"
        rows.append(
            (f"staging against decoding, {one['tables']:,} tables, CPU", f"{most}", shown, one["ratio"] <= most)
        )
    for one in found.get("merging", ()):
        most, ours = MERGING[one["tables"]], one["sync"]["cpu_us"]
        what = f"Kafka to published Iceberg, {one['tables']} tables, CPU µs a message"
        rows.append((what, f"{most}", f"{ours}", ours <= most))
        shown = f"{one['ratio']:.2f} (by hand {one['by hand']['cpu_us']} µs)"
        rows.append((f"the same against from_json and MERGE by hand, {one['tables']} tables", f"{BY_HAND}", shown,
                     one["ratio"] <= BY_HAND))  # fmt: skip
    for one in found.get("engines", ()):
        most, ours = NATIVE[one["format"]][one["tables"]], one["native"]["cpu_us"]
        what = f"{one['format'].capitalize()} by workers, {one['tables']} table{'s' if one['tables'] > 1 else ''}"
        rows.append((f"{what}, CPU µs a message", f"{most}", f"{ours}", ours <= most))
        shown = f"{one['ratio']:.2f} ({one['merge']['cpu_us']} µs)"
        delta = one["format"] == "delta"
        target = f"{OF_MERGE}" if delta else ""
        rows.append((f"{what}, against MERGE", target, shown, not delta or one["ratio"] <= OF_MERGE))
    for one in found.get("warm", ()):
        what = f"warm batch of 8,000 messages, one table of {one['format'].capitalize()}"
        rows.append((f"{what}, CPU s", f"{WARM}", f"{one['cpu_s_median']}", one["cpu_s_median"] <= WARM))
        most = WALL[one["format"]]
        rows.append((f"{what}, wall s", f"{most}", f"{one['wall_s_best']}", one["wall_s_best"] <= most))
        own = one["spark_own_s_median"]
        rows.append(("of it Spark's own, wall s", f"{OWN}", f"{own}", own <= OWN))
    for large in found.get("large", ()):
        what = f"{large['messages']:,} changes all over {large['rows']:,} rows of Iceberg, by workers"
        rows.append((f"{what}, CPU s to merge", f"{LARGE}", f"{large['merge_cpu_s']}", large["merge_cpu_s"] <= LARGE))
        rows.append((f"{what}, bytes written of those staged", f"{WRITTEN}", f"{large['written_ratio']}",
                     large["written_ratio"] <= WRITTEN))  # fmt: skip
    rows.append(("tables that were wrong", "0", f"{len(found['wrong'])}", not found["wrong"]))
    return rows


def show(console: Console, found: dict[str, Any]) -> None:
    """Prints them."""
    table = Table("", "target", "measured", "")
    for what, target, figure, reached in lines(found):
        table.add_row(what, target, figure, "✓" if reached else "missed")
    console.print(table)
    held = ", ".join(f"{kind} {size} MB" for kind, size in found["memory_mb"].items())
    console.print(f"most memory held: {held}; load {found['load']}", highlight=False)
    for one in found["wrong"]:
        console.print(one, style="red", highlight=False)


def markdown(found: dict[str, Any]) -> str:
    """The same as a table of a page."""
    shown = ["| | target | measured |", "|---|---|---|"]
    for what, target, figure, reached in lines(found):
        shown.append(f"| {what} | {target} | {figure}{'' if reached else ', missed'} |")
    return "\n".join(shown) + "\n"


def about(found: dict[str, Any]) -> str:
    """On what the figures were taken."""
    machine = found["machine"]
    held = ", ".join(f"{kind} {size} MB" for kind, size in found["memory_mb"].items())
    turns = f"the best of {found['rounds']} turns"
    said = (
        f"{machine['processor']}, {machine['cores']} cores, load {machine['load_before']} before the run and"
        f" {found['load']} at its end, Spark {machine['packages']['pyspark']}; {turns}. Most memory held by a process:"
        f" {held}."
    )
    return textwrap.fill(said, 119) + "\n"


def replaced(page: str, found: dict[str, Any]) -> str:
    """A page with these figures between its two comments."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{markdown(found)}\n{about(found)}{END}{after}"
