"""Shared by all encoders: checks of the given columns, and the buffer of written messages."""
