"""What is particular to protocols of JSON objects: their model, how it is built, checked and printed."""
