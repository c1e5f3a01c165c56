"""Binary messages: a cursor and a sink over their bytes, dictionaries of names, and a trace of every byte."""
