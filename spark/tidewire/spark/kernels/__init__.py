"""Compiled loops over whole Arrow columns: typed values, VARIANT objects, row images."""
