"""Hostile texts in every word of the spec language."""
