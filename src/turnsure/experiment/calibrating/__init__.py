"""Maps, thresholds and policies on labelled scores: fitted, chosen, judged."""
