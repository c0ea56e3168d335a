"""Building dialogues: a Hinter and a Guesser play, and what gets there is kept."""
