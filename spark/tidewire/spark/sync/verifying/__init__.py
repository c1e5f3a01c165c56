"""Compares published tables with the source's rows at the same TSO."""
