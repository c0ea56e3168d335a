"""The judge: scores what code cannot tell, and is itself held against people."""
