"""What tables that are kept current from Kafka cost: `python -m benchmarks --sync`."""
