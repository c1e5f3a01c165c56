"""What is particular to protocols of `wire: binary`: their model, how it is built, checked and printed."""
