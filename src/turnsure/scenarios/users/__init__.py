"""Who speaks for the user: a script, or a model that is kept to its card."""
