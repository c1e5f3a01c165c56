"""The pages for people: one for each protocol, and one that lists them, in Markdown."""
