"""Whether dialogues are fit to be measured: checks without a model, and mending by leaving out."""
