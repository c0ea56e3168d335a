"""Contestants of the engine benchmark, and the rounds in which they meet."""
