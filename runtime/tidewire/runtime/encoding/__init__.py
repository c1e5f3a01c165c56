"""Shared by all encoders: the columns that are written, checks of them, and the buffer of written messages."""
