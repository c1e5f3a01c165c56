"""The generator: from spec to problems, or to plans and text. It contains nothing about a single protocol.

`check.load_spec` reads the YAML files of a directory and returns either the typed model (`model.Spec`) or all problems
of all files; `resolve.resolve` adds what follows from the references: reading order, which section determines each
number, row images.
"""
