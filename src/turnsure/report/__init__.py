"""Draws what metrics computed."""
