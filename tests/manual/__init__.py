"""README.md and the manual, the pages of docs/: their snippets are run, their links and bounds held."""
