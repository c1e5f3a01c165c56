"""The snippets of README.md, taken apart and run."""
