"""The checks: one file each, named in the registry."""
