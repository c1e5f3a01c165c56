"""Messages in transport: compressed, cut to size, claim checks, and transcoded from protocol to protocol."""
