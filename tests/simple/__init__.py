"""Simple: a second reader, row checksums, and what the recordings of both producers say."""
