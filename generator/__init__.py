"""The generator: spec -> problems | plans -> text. It knows no protocol.

`check.load_spec` reads the YAML of a directory and returns either the typed model (`model.Spec`) or every problem of
every file; `resolve.resolve` adds what follows from the references: reading order, who derives each number, row
images.
"""
