"""The process that holds the llama.cpp engine; started by :mod:`turnsure.models.embedded`.

It lives apart because loading holds the interpreter lock, some settings abort the process, and a
server object does not survive a fork or a careless exit.  It speaks JSON lines: one request object
a line on standard input, one reply object a line on standard output, strictly in order.  When
standard input closes, the process ends at once, whatever the engine is doing.
"""

from __future__ import annotations

import importlib
import json
import os
import queue
import secrets
import sys
import threading
from typing import Any, BinaryIO

from turnsure.models.llama_ledger import LlamaLedger
from turnsure.models.llama_wire import LEDGER

# Read by the OpenMP runtime when the engine is imported.  Threads that wait for one another must
# neither spin without end, which makes decoding many times slower on a busy computer, nor sleep at
# once, which makes it two to three times slower on a quiet one.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
os.environ.setdefault("GOMP_SPINCOUNT", "10000")

_ENGINE_ERRORS = (RuntimeError, ValueError, TypeError, KeyError, OSError)
_F32 = 0
_FLASH_ATTENTION_OFF = 0


def main() -> None:
    """Serve until standard input closes."""
    replies = _private_stdout()
    requests: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(requests,), daemon=True).start()
    settings = json.loads(requests.get())
    try:
        server, ledger = _load(settings)
        ready = {"ready": {"context": settings["context"]}}
    except _ENGINE_ERRORS as error:
        _write(replies, {"failed": str(error) or type(error).__name__})
        os._exit(1)
    _write(replies, ready)
    while True:
        request = json.loads(requests.get())
        try:
            body = server.handle_chat_completions(request)
            if "error" not in body:
                body[LEDGER] = ledger.entry(request, body)
        except _ENGINE_ERRORS as error:
            body = {"error": {"type": "exception", "message": str(error) or type(error).__name__}}
        _write(replies, body)


def _load(settings: dict[str, Any]) -> tuple[Any, LlamaLedger]:
    xllamacpp: Any = importlib.import_module("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = settings["path"]
    params.verbosity = settings["verbosity"]
    params.n_parallel = settings["slots"]
    params.n_ctx = settings["slots"] * settings["context"]  # the total over all slots
    params.n_batch = settings["batch"]
    params.n_ubatch = settings["batch"]
    params.cpuparams.n_threads = settings["threads"]
    params.cpuparams_batch.n_threads = settings["threads"]
    params.n_gpu_layers = settings["gpu_layers"]
    params.check_tensors = True  # otherwise corrupt weights give null log-probabilities
    params.fit_params = False
    params.cache_ram_mib = 0
    params.kv_unified = False
    if settings["deterministic"]:
        # With these equal requests give equal bits, in any order, cached or not.
        params.flash_attn_type = _FLASH_ATTENTION_OFF
        params.cache_type_k = _F32
        params.cache_type_v = _F32
        params.no_extra_bufts = True
    # The engine also opens a port on loopback; nobody but us should be able to use it.
    key = secrets.token_hex(16)
    params.api_keys = [key]
    server = xllamacpp.Server(params)
    # Without one completion first, ending the process can hang.
    warm_up: dict[str, Any] = {
        "messages": [{"role": "user", "content": "Hello"}],
        "max_tokens": 1,
        "temperature": 0,
        "cache_prompt": False,
    }
    server.handle_chat_completions(warm_up)
    return server, LlamaLedger(server.listening_address, key)


def _read(requests: queue.SimpleQueue[bytes]) -> None:
    for line in sys.stdin.buffer:
        requests.put(line)
    os._exit(0)


def _private_stdout() -> BinaryIO:
    """Keep standard output for replies: what the engine prints goes to standard error."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return replies


def _write(replies: BinaryIO, value: dict[str, Any]) -> None:
    try:
        replies.write(json.dumps(value).encode("utf-8") + b"\n")
        replies.flush()
    except BrokenPipeError:
        os._exit(0)  # the parent is gone


if __name__ == "__main__":
    main()
