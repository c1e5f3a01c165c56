"""Conformance: recorded messages against the codecs. Knows no protocol.

`recording` reads streams of messages, `truth` the events of the database, `compare` compares events and `verdict`
messages, `check` runs a stream, `report` shows the results.
"""
