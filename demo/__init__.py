"""A whole pipeline on one machine: a Kafka broker, a shop whose rows change, and tables that are kept current."""
