"""Reading of JSON protocols: what the primitives take and refuse, and a second reader to compare with."""
