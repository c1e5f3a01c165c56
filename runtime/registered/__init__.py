"""Keys and values that are records of Avro, each behind the id of its schema, which a registry has."""
