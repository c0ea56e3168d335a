"""Parse, call, print; one file a command."""
