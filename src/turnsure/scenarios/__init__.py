"""Whole conversations as tests: cards, users, assistants, checks after every turn, verdicts."""
