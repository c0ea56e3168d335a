"""The SQLite store of requests and generations."""
