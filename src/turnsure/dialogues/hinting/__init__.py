"""Hinter and Guesser: secrets, prompts, replies, and the guards of a hint."""
