"""JSON messages: a cursor over their text, what they say of tables, and rows keyed by column names."""
