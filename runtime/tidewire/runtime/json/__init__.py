"""JSON messages: a cursor over their text, names found by their bytes, and rows keyed by column names."""
