"""Gates: built from what was measured, asked at run time, served in front of a model, replayed."""
