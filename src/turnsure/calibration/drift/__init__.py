"""Whether a probability still holds: tests, a monitor, shifts of scores, labels needed."""
