"""The passes over the chapter `schema_types`. One file each; its docstring lists its rules."""
