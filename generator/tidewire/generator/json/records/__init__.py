"""Records in Avro's binary encoding: a second encoding of a protocol of JSON objects."""
