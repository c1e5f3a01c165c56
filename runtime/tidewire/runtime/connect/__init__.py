"""Kafka Connect schemas: how columns map to them, and schema blocks in JSON."""
