"""The failure drill: a topic made from a seed, what the tables must show of it, and where a process is killed.

The tests of `tidewire.spark.sync` run on the same topics.
"""
