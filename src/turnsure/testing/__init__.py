"""Whole-conversation tests from cards to a verdict; ``suite.py`` is the way in code."""
