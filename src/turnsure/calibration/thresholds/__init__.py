"""Thresholds on a score: from costs, from a target for the risk, and how far to trust them."""
