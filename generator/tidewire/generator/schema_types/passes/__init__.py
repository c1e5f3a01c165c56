"""The passes over the chapter `schema_types`. The docstring of each file lists its rules."""
