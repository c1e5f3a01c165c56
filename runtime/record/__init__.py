"""Records in Avro's binary encoding: reading and writing them, field after field."""
