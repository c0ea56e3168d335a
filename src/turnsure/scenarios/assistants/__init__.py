"""Assistants under test: a Python function, a model with frozen tools, a webhook."""
