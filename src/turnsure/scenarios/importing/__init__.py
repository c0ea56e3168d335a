"""Conversations that were held elsewhere, as transcripts and as scenarios."""
