"""Tests of tables that are described apart from their rows."""
