"""Changes that are merged without Spark's MERGE: workers read the staged files of a table and write its files.

Rows never enter the JVM. One Spark job serves all tables: a task takes one table, keeps the last change of each key,
and merges. What a task cannot do exactly as MERGE would is left to MERGE, with the reason.
"""
