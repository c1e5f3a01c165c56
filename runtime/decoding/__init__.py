"""What decoders remember from message to message: the columns of tables, found again by hash."""
