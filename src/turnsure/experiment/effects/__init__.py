"""From the rows of controls to what they found: one file a control."""
