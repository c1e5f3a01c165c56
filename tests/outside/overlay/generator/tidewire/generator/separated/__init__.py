"""Values that are fields of text with a separator between them."""
