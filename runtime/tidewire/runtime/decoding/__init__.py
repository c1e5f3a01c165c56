"""Caches of decoders: tables and row layouts, found by hash."""
