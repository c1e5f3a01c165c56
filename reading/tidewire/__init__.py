"""The part of the package that is in this folder. The package itself is generated/tidewire."""
