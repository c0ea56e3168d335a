"""Counts that the engine does not give with its replies, against an engine's port made of words."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from turnsure.models.llama_ledger import LlamaLedger
from turnsure.models.llama_wire import LEDGER, count_new_tokens
from turnsure.models.prompt_tree import PromptTree


class WordTokens(BaseHTTPRequestHandler):
    """A token is a word; a template writes ``role`` before each message."""

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.headers["Authorization"] != "Bearer key":
            reply = {"error": {"code": 401}}
        elif self.path == "/apply-template":
            said = [f"{one['role']} {one['content']}" for one in body["messages"]]
            reply = {"prompt": " ".join(said)}
        else:
            reply = {"tokens": [sum(map(ord, word)) for word in body["content"].split()]}
        content = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *args):
        pass


@pytest.fixture
def address():
    server = HTTPServer(("127.0.0.1", 0), WordTokens)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def asked(content, *texts, prompt_tokens=None, finish="stop"):
    n = len(content.split()) + 1 if prompt_tokens is None else prompt_tokens
    choices = [{"message": {"content": text}, "finish_reason": finish} for text in texts]
    request = {"messages": [{"role": "user", "content": content}]}
    return request, {"usage": {"prompt_tokens": n}, "choices": choices}


def test_a_longer_prompt_adds_only_what_it_adds(address):
    ledger, tree = LlamaLedger(address, "key"), PromptTree()

    def new_tokens(content):
        request, reply = asked(content, "x")
        told = count_new_tokens({**reply, LEDGER: ledger.entry(request, reply)}, tree)
        return told[LEDGER]["new_tokens"]

    assert [new_tokens(f"one two{more}") for more in ("", " three four", "")] == [3, 2, 0]


def test_without_the_prompt_nothing_is_said_of_it():
    untold = {"usage": {"prompt_tokens": 3}, LEDGER: {}}
    assert count_new_tokens(untold, PromptTree()) is untold


def test_several_texts_are_counted_with_the_token_that_ends_each(address):
    ledger = LlamaLedger(address, "key")
    assert ledger.entry(*asked("one", "a b c", "d", ""))["reply_tokens"] == 3 + 1 + 0 + 3
    assert ledger.entry(*asked("one", "a b c", "d", finish="length"))["reply_tokens"] == 4


def test_a_prompt_of_another_length_than_the_evaluated_one_is_not_counted(address):
    assert LlamaLedger(address, "key").entry(*asked("one two", "x", prompt_tokens=9)) == {}


@pytest.mark.parametrize("wrong", ["key", "address"])
def test_an_engine_that_does_not_tell_is_no_error(address, wrong):
    there = address if wrong == "key" else "http://127.0.0.1:1"
    assert LlamaLedger(there, "another" if wrong == "key" else "key").entry(*asked("a", "b")) == {}
