"""Detects the protocol and the producer of messages, by decoding them and encoding them again."""
