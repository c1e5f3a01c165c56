"""What the codecs of all protocols have in common: building columns, what is kept, hostile columns, fuzzing."""
