"""Draws from the generator that the functions of `random` share, in a process of their own: in one that has checked
other programs before, sites may be known that are none of this program."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.end_to_end.conftest import Shell


def test_draws_that_follow_from_no_seed_are_no_conflicts(shell: Shell) -> None:
    program = """\
        import random
        import threading

        def work():
            random.random(), random.choice([1, 2]), random.randint(1, 6), random.gauss(0, 1), random.randbytes(2)
            random.sample(range(9), 3), random.choices([1, 2], k=2), random.expovariate(1), random.shuffle([1, 2])

        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        """
    report = shell.check(program, "--strategy", "dfs", status=0)
    assert (report["verdict"], report["executions"]) == ("verified", 1)
