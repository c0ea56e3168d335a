"""Controls: conditions of one experiment that tell information from talk."""
