"""Schema blocks: what they say of columns in Kafka Connect's words."""
