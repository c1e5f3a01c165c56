"""Keys and values that are Avro records, each prefixed with the id of its schema in a schema registry."""
