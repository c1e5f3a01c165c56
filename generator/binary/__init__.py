"""What is particular to protocols of sections: their model, how it is built, checked and printed."""
