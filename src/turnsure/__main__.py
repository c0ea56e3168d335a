"""``python -m turnsure``."""

from turnsure.cli.main import main

main()
