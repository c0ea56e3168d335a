"""Whether a gate still holds on new rows."""
