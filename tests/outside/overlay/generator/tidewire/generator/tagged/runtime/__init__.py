"""What printed decoders of tagged fields call."""
