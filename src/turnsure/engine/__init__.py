"""Drives flows: schedule, limits, retries."""
