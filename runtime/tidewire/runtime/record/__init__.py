"""Reads and writes records in Avro's binary encoding, field by field."""
