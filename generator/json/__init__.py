"""What is particular to protocols of `wire: json`: their model, how it is built, checked and printed."""
