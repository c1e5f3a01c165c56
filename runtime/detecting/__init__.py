"""Whose messages these are: told by what can be read of them, and by what comes out when they are written again."""
