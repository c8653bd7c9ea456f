"""The reads of an invariant distinguish orders, though no thread of the program looks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.end_to_end.conftest import Shell

_LAST_WRITE = """\
    import threading

    x = 0
    kept = []


    def first():
        global x
        x = 1
        kept.append(1)


    def second():
        global x
        x = 2
        kept.append(2)


    threads = [threading.Thread(target=target) for target in (first, second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""


@pytest.mark.parametrize("strategy", ["mcr", "se-mcr", "dpor", "dfs"])
@pytest.mark.parametrize("invariant", ["x == 2", "kept == [1, 2]", "(lambda: kept[0])() == 1"])
def test_the_last_write_counts(shell: Shell, strategy: str, invariant: str) -> None:
    report = shell.check(_LAST_WRITE, "--strategy", strategy, "--invariant", invariant, status=1)
    assert report["failures"][0]["kind"] == "invariant"


@pytest.mark.parametrize("strategy", ["mcr", "se-mcr"])
def test_what_holds_is_verified(shell: Shell, strategy: str) -> None:
    holds = "x in (1, 2) and sorted(kept) == [1, 2]"
    assert shell.check(_LAST_WRITE, "--strategy", strategy, "--invariant", holds, status=0)["verdict"] == "verified"


def test_it_holds_when_all_threads_have_ended(shell: Shell) -> None:
    unjoined = _LAST_WRITE.replace("    for thread in threads:\n        thread.join()\n", "")
    assert unjoined != _LAST_WRITE
    assert shell.check(unjoined, "--invariant", "len(kept) == 2", status=0)["verdict"] == "verified"
    report = shell.check(unjoined, "--invariant", "kept[0] == 1", status=1)
    assert report["failures"][0]["kind"] == "invariant"
