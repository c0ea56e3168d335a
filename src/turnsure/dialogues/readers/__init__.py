"""Readers of public data sets: one file a format, each a generator of dialogues from a path."""
