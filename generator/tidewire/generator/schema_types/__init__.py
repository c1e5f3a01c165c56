"""The chapter `schema_types`: Kafka Connect schema types of columns, and the codecs of their values."""
