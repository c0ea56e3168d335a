"""From a spec to a turns table to an evaluation."""
