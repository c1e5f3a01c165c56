"""Primitives of all wires: messages in memory, their bytes, UTF-8, and the spans of a dissector."""
