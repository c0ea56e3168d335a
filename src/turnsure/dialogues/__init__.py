"""Where dialogues come from: files and closed worlds."""
