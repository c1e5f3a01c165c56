"""Tests of the Canal-JSON codec and of the reader of JSON below it, with a second reader to compare with."""
