"""A part of the tasks in the style of SV-COMP (:mod:`benchmarks.c_tasks`): those that take about a second."""

from __future__ import annotations

import pytest
from benchmarks.c_tasks import check, tasks

NAMES = (
    "other-verifiers/esbmc_transfer",
    "other-verifiers/genmc_message",
    "other-verifiers/genmc_message_relaxed",
    "other-verifiers/genmc_ticket_torn",
    "other-verifiers/nidhugg_store_buffer",
    "other-verifiers/smack_spin_seen",
    "other-verifiers/undeclared_function",
    "other-verifiers/undeclared_section",
    "pthread-atomic/dekker",
    "pthread-atomic/peterson_swapped",
    "pthread-complex/published_filled",
    "pthread-complex/stealing_deque_undisputed",
    "pthread-divine/handed_semaphores",
    "pthread-divine/ring_two_writers",
    "pthread-driver-races/ioctl_after_stop",
    "pthread-driver-races/ready_before_open",
    "pthread-ext/condition_of_two",
    "pthread-ext/reader_counts_split",
    "pthread-lit/next_cell",
    "pthread-nondet/chosen_lock",
    "pthread-nondet/chosen_lock_same",
    "pthread-preprocessed/bounded_buffer",
    "pthread-preprocessed/bounded_buffer_once",
    "pthread-preprocessed/ticks",
    "pthread-preprocessed/ticks_torn",
    "pthread-wmm/message_passing",
    "pthread-wmm/message_passing_late",
    "pthread/lazy_sum",
    "pthread/reorder_locked",
)

TASKS = {task.name: task for task in tasks()}


@pytest.mark.sampled
@pytest.mark.parametrize("name", NAMES)
def test_verdict(name: str) -> None:
    answer = check(TASKS[name], 60, 1)
    assert answer.judged(TASKS[name].expected) == "right", answer


def test_there_are_tasks_of_each_directory() -> None:
    assert len(TASKS) >= 60
    assert {name.partition("/")[0] for name in TASKS} == {
        "other-verifiers", "pthread",
        *(f"pthread-{each}" for each in "atomic complex divine driver-races ext lit nondet preprocessed wmm".split()),
    }  # fmt: skip
