"""Binary messages: a cursor and a sink over their bytes, names that are written once, and an account of every byte."""
