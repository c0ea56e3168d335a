"""Slots, lanes and threads: what the user left open is chosen by cores and memory."""

from __future__ import annotations

import pytest

from tests.unit.models.test_gguf_header import PLAIN, head
from turnsure.models.llama_sizing import Layout, computer_memory, layout, usable_cores

MEGABYTE = 1 << 20
SLOT = 11_520 * 4 * 2048
"""Bytes of one slot's cache: 90 MB."""


@pytest.fixture
def chosen(tmp_path):
    path = tmp_path / "m.gguf"
    path.write_bytes(head(PLAIN))

    def choose(**changes) -> Layout:
        settings = {
            "context": 2048, "slots": None, "lanes": None, "dialogues": 100, "threads": 0,
            "gpu_layers": 0, "bytes_per_number": 4, "shared_weights": True, "memory": 64 << 30,
            "cores": 8,
        }  # fmt: skip
        return layout(path, **{**settings, **changes})

    return choose


def test_with_room_every_core_is_a_lane(chosen):
    assert chosen() == Layout(slots=20, lanes=8, threads_a_lane=1)


def test_threads_say_how_many_cores_to_use(chosen):
    assert chosen(threads=3) == Layout(slots=20, lanes=3, threads_a_lane=1)
    assert chosen(threads=6, lanes=2) == Layout(slots=20, lanes=2, threads_a_lane=3)


def test_no_more_lanes_than_dialogues(chosen):
    assert chosen(dialogues=1) == Layout(slots=20, lanes=1, threads_a_lane=8)
    assert chosen(dialogues=3) == Layout(slots=20, lanes=3, threads_a_lane=2)


def test_caches_of_all_lanes_fit_in_half_of_the_memory(chosen):
    one = 2 * (20 * SLOT + MEGABYTE)
    assert chosen(memory=one).lanes == 1
    assert chosen(memory=3 * one).lanes == 3
    assert chosen(memory=3 * one, bytes_per_number=2).lanes == 6
    assert chosen(memory=3 * one, context=1024).lanes == 6


@pytest.mark.parametrize(("fit", "slots"), [(25, 20), (19, 10), (9, 5), (4, 4), (3, 2), (1, 1)])
def test_fewer_samples_side_by_side_where_memory_is_short(chosen, fit, slots):
    memory = int((fit * SLOT + MEGABYTE) / 0.8)
    assert (chosen(memory=memory).slots, chosen(memory=memory).lanes) == (slots, 1)


def test_where_not_even_one_fits_the_engine_is_left_to_say_so(chosen):
    assert chosen(memory=MEGABYTE) == Layout(slots=1, lanes=1, threads_a_lane=8)


def test_what_the_user_wants_is_done(chosen):
    assert chosen(slots=64, lanes=5, memory=MEGABYTE) == Layout(slots=64, lanes=5, threads_a_lane=1)


def test_unknown_sizes_and_graphics_cards_mean_one_lane(chosen, tmp_path):
    assert chosen(memory=None) == Layout(slots=20, lanes=1, threads_a_lane=8)
    assert chosen(gpu_layers=30).lanes == 1
    other = tmp_path / "other.gguf"
    other.write_bytes(b"GGUF")
    assert layout(
        other, context=2048, slots=None, lanes=None, dialogues=9, threads=0, gpu_layers=0,
        bytes_per_number=4, shared_weights=True, memory=64 << 30, cores=4,
    ) == Layout(slots=20, lanes=1, threads_a_lane=4)  # fmt: skip


def test_this_computer_has_memory_and_cores():
    memory = computer_memory()
    assert memory is None or memory > 64 * MEGABYTE
    assert usable_cores() >= 1
