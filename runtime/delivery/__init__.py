"""Messages as they travel: compressed, cut to size, in files that others point to, from protocol to protocol."""
