# Declares nothing: it makes the module compiled, because encoders check every batch with it.
