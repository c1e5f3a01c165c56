"""Selects the tests that a session can run."""

from __future__ import annotations

import tidewire.runtime

# Compiled, the methods of Cursor and Sink are C functions that Python does not see.
collect_ignore = ["test_cursor_and_sink.py"] if tidewire.runtime.compiled else []
