"""Messages from files and streams: how they lie there, and how they are read from them."""
