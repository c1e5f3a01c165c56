"""The chapter `schema_types`: what schemas call columns in Kafka Connect's types, and how values are written then."""
