"""Tests of the codecs: against recorded bytes, a naive twin and hostile bytes, compiled and interpreted."""
