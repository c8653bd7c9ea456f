"""``se-mcr`` on programs whose threads hand things over through code that is not instrumented."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.end_to_end.conftest import Shell

_THROUGH_A_QUEUE = """\
    import queue
    import threading

    tasks = queue.Queue()
    done = []
    threads = [threading.Thread(target=tasks.put, args=(number,)) for number in range(2)]
    threads += [threading.Thread(target=lambda: done.append(tasks.get())) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert done != [1, 0]
"""

_THROUGH_A_POOL = """\
    from concurrent.futures import ThreadPoolExecutor

    count = 0


    def increment():
        global count
        count += 1


    with ThreadPoolExecutor(2) as pool:
        for future in [pool.submit(increment) for _ in range(2)]:
            future.result()
    assert count == 2
"""

_IN_ORDER = """\
    import queue
    import threading

    tasks = queue.Queue()
    done = []


    def produce():
        for number in (1, 2, None):
            tasks.put(number)


    def consume():
        while (number := tasks.get()) is not None:
            done.append(number)


    threads = [threading.Thread(target=target) for target in (produce, consume)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert done == [1, 2]
"""


#: Once `rudely` has gone unseen, no order of the threads gets `politely` out of its loop.
_MISSED = """\
    import threading

    turn = 0


    def politely():
        global turn
        seen = 0
        while seen != 2:
            turn = 1
            seen = turn


    def rudely():
        global turn
        turn = 2


    threads = [threading.Thread(target=target) for target in (politely, rudely)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join({limit})
"""


_TURNS = """\
    import threading

    turn = 0
    changed = threading.Condition()


    def take_turns(me):
        global turn
        while True:
            with changed:
                while turn != me:
                    changed.wait()
                turn = 1 - me
                changed.notify_all()


    for me in range(2):
        threading.Thread(target=take_turns, args=(me,)).start()
"""


@pytest.mark.parametrize("source", [_THROUGH_A_QUEUE, _THROUGH_A_POOL], ids=["queue", "pool"])
def test_what_is_handed_over_unseen_counts(shell: Shell, source: str) -> None:
    assert shell.check(source, "--strategy", "se-mcr", status=1)["failures"][0]["kind"] == "assertion"


def test_a_queue_between_two_threads_has_one_order(shell: Shell) -> None:
    """``se-mcr`` tries what it can't know: whether the consumer could get by before there is an item."""
    reports = [shell.check(_IN_ORDER, "--strategy", strategy, status=0) for strategy in ("mcr", "se-mcr")]
    assert [each["verdict"] for each in reports] == ["verified", "verified"]
    assert [each["executions"] for each in reports] == [1, 2]


def test_loops_that_no_order_leads_out_of(shell: Shell) -> None:
    report = shell.check(_MISSED.format(limit=""), "--strategy", "se-mcr", status=1)
    (failure,) = report["failures"]
    assert failure["kind"] == "livelock"
    assert failure["message"].startswith(
        "no order leads out of the loops that threads go round in: Thread-1 (politely)"
    )
    told = shell.run("replay", failure["schedule"], status=1).stdout
    assert "loops for ever: no order of the threads ends the loops" in told
    assert "replayed" in told


def test_loops_that_time_may_lead_out_of_are_no_finding(shell: Shell) -> None:
    report = shell.check(_MISSED.format(limit="60"), "--strategy", "se-mcr", status=0)
    assert report["verdict"] == "inconclusive"


def test_threads_that_wake_each_other_for_ever(shell: Shell) -> None:
    report = shell.check(_TURNS, "--strategy", "se-mcr", status=1)
    (failure,) = report["failures"]
    assert failure["kind"] == "livelock"
    assert [waiting["thread"] for waiting in failure["waiting"]] == ["0.1", "0.2"]
