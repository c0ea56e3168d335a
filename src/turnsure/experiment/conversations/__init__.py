"""Confidence in what an assistant said in conversations that are over."""
