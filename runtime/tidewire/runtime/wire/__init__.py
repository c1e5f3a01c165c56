"""Primitives of all wires: messages in memory, their bytes, numbers and text in them, and the codecs of values."""
