"""Support for protocols of JSON objects: their model, and how it is built, checked and printed."""
