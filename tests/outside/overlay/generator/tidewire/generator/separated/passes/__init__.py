"""The passes over the words of lines. One file each; the docstring of the file lists its rules."""
