"""Tests of Avro with a schema registry."""
