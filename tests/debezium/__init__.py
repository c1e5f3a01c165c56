"""TiCDC's Debezium: a second reader, and what the recordings of both producers say."""
