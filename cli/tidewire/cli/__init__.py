"""The `tidewire` command: decode, encode, dissect, conform, protocols, schema."""
