"""Primitives of every wire: messages in memory, their bytes, UTF-8, and the spans that a dissector names."""
