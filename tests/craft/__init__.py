"""Tests of the Craft codec: against recorded bytes, a naive twin and hostile bytes, compiled and interpreted."""
