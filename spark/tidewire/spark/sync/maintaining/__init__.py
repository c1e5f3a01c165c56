"""Maintenance of tables beside their stream: compaction, expiry of versions, removal of files that no version has.

What published records name stays readable: nothing goes of a table from the version on that the oldest kept record
names. Records only become newer, so that this bound holds whatever a stream publishes meanwhile.
"""
