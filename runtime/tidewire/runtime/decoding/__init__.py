"""State of decoders: tables and their columns found by name, layouts of rows, and the base classes of decoders."""
