"""What printed codecs of such fields call."""
