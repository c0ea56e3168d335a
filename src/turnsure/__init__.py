"""turnsure tells how sure a language model is at every turn, and whether it is right to be."""
