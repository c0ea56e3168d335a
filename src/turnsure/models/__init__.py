"""Back-ends: a scripted double, the embedded llama.cpp, OpenAI-compatible endpoints."""
