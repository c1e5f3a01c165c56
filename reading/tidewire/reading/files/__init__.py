"""Messages in files and streams: file formats and readers."""
