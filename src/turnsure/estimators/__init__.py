"""How sure is the model?  One file a method."""
