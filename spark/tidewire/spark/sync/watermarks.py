"""Whether a stream can be published at one TSO: it needs commit timestamps and watermarks."""

from __future__ import annotations

from tidewire.runtime.tso import TSO_SHIFT
from tidewire.spark.options import load
from tidewire.spark.sync.changelog import Manifest, Staged

PATIENCE = 60_000
"""Milliseconds that rows may span without any watermark: TiCDC sends one about every second."""
_OPTIONS = ("enable-tidb-extension", "avro-enable-watermark")
"""Options of the changefeed that are required for commit timestamps in messages, and for watermarks."""
_BY_KEY = "or ask for consistency=key, which keeps each key by itself and no tables at one TSO"


def lacks_commit_ts(protocol: str, staged: Staged, no_ts: str, by_key: bool) -> str | None:
    """Why the changes of a batch cannot be ordered by commit ts; None if nothing indicates it.

    Args:
        protocol: of its messages.
        staged: what the batch staged.
        no_ts: the reason in dead letters without a commit ts.
        by_key: whether consistency=key.
    """
    for one in staged.dead:
        if no_ts in one.reason:
            where = f"as that at offset {one.offset} of partition {one.partition}"
            if by_key:
                return (
                    f"messages of this {protocol} topic have no commit ts, {where}: ask for order=offset, by which the"
                    " changes of a key are in the order of its messages"
                )
            return (
                f"messages of this {protocol} topic have no commit ts, {where}: {_remedy(protocol)}; where it is set,"
                " and those of deleted rows have none, only another protocol tells it, or consistency=key with"
                " order=offset"
            )
    return None


def lacks_watermarks(protocol: str, before: Manifest, staged: Staged) -> str | None:
    """Why a stream cannot be published at one TSO, as shown by a batch; None if nothing indicates it.

    Args:
        protocol: of its messages.
        before: the previous manifest.
        staged: what the batch staged.
    """
    if staged.watermarks or any(ts for each in before.watermarks.values() for ts in each.values()):
        return None
    spans = [*before.spans.values(), *((one.lo, one.hi) for one in staged.rows)]
    if not spans:
        return None
    lo, hi = min(lo for lo, _ in spans), max(hi for _, hi in spans)
    if (hi >> TSO_SHIFT) - (lo >> TSO_SHIFT) <= PATIENCE:
        return None
    return (
        f"this {protocol} topic has rows of {((hi >> TSO_SHIFT) - (lo >> TSO_SHIFT)) // 1000} seconds and no watermark,"
        f" so that no commit ts is known to be complete: {_remedy(protocol)}"
    )


def _remedy(protocol: str) -> str:
    names = {name.replace("_", "-") for name in load(protocol).Options.__dataclass_fields__}
    wanted = [f"{name}=true" for name in _OPTIONS if name in names]
    if not wanted:
        return f"check that the changefeed of TiCDC writes this topic, and that all of its messages are read; {_BY_KEY}"
    return f"set {' and '.join(wanted)} in the changefeed of TiCDC; {_BY_KEY}"
