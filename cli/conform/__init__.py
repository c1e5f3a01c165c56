"""Conformance: recorded messages against the codecs. Knows no protocol.

`recording` reads streams of messages, `truth` what happened in the database, `compare` tells events apart and
`verdict` messages, `check` runs a stream, `report` shows what came out.
"""
