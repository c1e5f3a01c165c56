"""Side-by-side measurements of the codecs: ``python -m benchmarks`` from the repository's root (``make bench``)."""
