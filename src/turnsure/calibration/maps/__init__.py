"""Calibration maps: one file a map, each from a raw score to a probability of being right."""
