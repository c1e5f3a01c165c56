"""Records in Avro's binary encoding, as a second encoding of a protocol whose messages are objects."""
