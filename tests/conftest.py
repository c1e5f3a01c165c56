"""What every test session says first."""

from __future__ import annotations

import tidewire.runtime


def pytest_report_header() -> str:
    """Whether the compiled modules run or their sources, interpreted."""
    return f"tidewire: {tidewire.runtime.compiled_reason}"
