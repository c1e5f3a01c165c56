"""Detects the protocol and the producer of messages: by reading them, and by writing them again."""
