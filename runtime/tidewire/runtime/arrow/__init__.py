"""Arrow building and reading: memory that becomes arrays without a copy, columns that grow in it, values."""
