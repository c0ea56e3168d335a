"""A llama.cpp HTTP server on loopback, with slots enough for all samples of a request.

Run as a script, ``server.py WEIGHTS SLOTS CONTEXT THREADS``, it prints its address and serves until
its input is closed.  The key is read from ``LLAMA_KEY``.
"""

from __future__ import annotations

import os
import sys

_CACHED_PROMPTS_MIB = 1024


def serve(path: str, *, slots: int, context: int, threads: int) -> None:
    """Load the weights with the arithmetic of the embedded model, and serve."""
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # both are read when the engine is imported
    os.environ.setdefault("GOMP_SPINCOUNT", "10000")
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = path
    params.verbosity = -1
    params.n_parallel = slots
    params.n_ctx = slots * context
    params.n_batch = params.n_ubatch = 512
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    params.flash_attn_type = params.cache_type_k = params.cache_type_v = 0
    params.no_extra_bufts = True
    params.kv_unified = False
    params.cache_ram_mib = _CACHED_PROMPTS_MIB
    params.api_keys = [os.environ["LLAMA_KEY"]]
    server = xllamacpp.Server(params)
    # Leaving without one completion can hang the engine.
    warm_up = {"messages": [{"role": "user", "content": "Hello"}], "max_tokens": 1}
    server.handle_chat_completions(warm_up)
    print(server.listening_address, flush=True)
    sys.stdin.read()
    os._exit(0)  # tearing the engine down can hang it


if __name__ == "__main__":
    serve(sys.argv[1], slots=int(sys.argv[2]), context=int(sys.argv[3]), threads=int(sys.argv[4]))
