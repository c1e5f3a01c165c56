"""Tests of the codecs: against recorded bytes, against a naive twin, against hostile bytes, compiled and interpreted."""
