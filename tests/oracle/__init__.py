"""TiCDC's own codecs, alive, beside ours: `make oracle`. None of this is collected by a plain `pytest`."""
