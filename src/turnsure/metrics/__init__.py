"""Calibration, monotonicity and ranking of confidences: one file a family."""
