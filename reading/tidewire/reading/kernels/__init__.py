"""Compiled loops over whole Arrow columns: typed values, row images."""
