"""Closed worlds: tables of entities and facts, and dialogues whose every turn is known exactly."""
