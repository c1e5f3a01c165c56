"""The plug-in for protocols whose key and value are sequences of length-prefixed JSON objects."""
