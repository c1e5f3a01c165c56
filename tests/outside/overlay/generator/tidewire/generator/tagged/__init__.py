"""The plug-in for values that are tagged fields: each is a number and a wire type, then its value."""
