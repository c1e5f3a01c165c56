"""Rows of the source database, of a dump or by a connection, in the types of a table's columns."""
