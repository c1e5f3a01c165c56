"""Prints the Markdown pages about protocols: one for each, and a list."""
