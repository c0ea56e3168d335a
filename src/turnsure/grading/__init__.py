"""Reading answers and deciding whether they are right."""
