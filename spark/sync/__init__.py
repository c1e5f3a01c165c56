"""From a topic to live tables: changes are staged, resolved by watermarks, applied, and published at one TSO.

What decides is pure and needs no Spark: `changelog` (what a micro-batch staged, and the manifest), `resolved` (the next
manifest), `file_lists` and `manifests` (where both are kept) and `plan` (what each table has to do).
"""
