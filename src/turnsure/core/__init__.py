"""Frozen values and protocols; imports nothing of ours."""
