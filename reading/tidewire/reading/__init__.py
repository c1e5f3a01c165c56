"""Messages from files and from Kafka to typed tables, without Spark."""
