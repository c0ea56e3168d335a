"""A real llama.cpp HTTP server on loopback, in a process of its own.

Run as a script it loads the weights, prints its address, and serves until its input is closed.
"""

from __future__ import annotations

import os
import sys


def serve(path: str) -> None:
    os.environ["OMP_WAIT_POLICY"] = "passive"  # read when the engine is imported
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = path
    params.verbosity = -1
    params.n_parallel = 4
    params.n_ctx = 8192
    # Arithmetic that gives the same numbers whether a prompt is evaluated anew or cached.
    params.flash_attn_type = 0
    params.cache_type_k = 0
    params.cache_type_v = 0
    params.no_extra_bufts = True
    params.kv_unified = False
    params.api_keys = [os.environ["LLAMA_KEY"]]
    server = xllamacpp.Server(params)
    # Leaving without one completion can hang the engine.
    warm_up = {"messages": [{"role": "user", "content": "Hello"}], "max_tokens": 1}
    server.handle_chat_completions(warm_up)
    print(server.listening_address, flush=True)
    sys.stdin.read()
    os._exit(0)  # tearing the engine down can hang it


if __name__ == "__main__":
    serve(sys.argv[1])
