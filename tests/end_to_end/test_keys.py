"""Keys with a hash of their own: an operation stays one step, and looking at a dictionary for the report runs none."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.end_to_end.conftest import Shell

_KEPT_HASH = """\
    import threading


    class Key(tuple):
        kept = None

        def __hash__(self):
            if self.kept is None:
                self.kept = tuple.__hash__(self)
            return self.kept


    prices = {Key(["tea"]): 3}
    key = Key(["tea"])


    def drop():
        if key in prices:
            del prices[key]


    threads = [threading.Thread(target=drop) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    """


def test_a_kept_hash_is_kept_by_the_program_only(shell: Shell) -> None:
    report = shell.check(_KEPT_HASH, status=1)
    (failure,) = report["failures"]
    assert failure["exception"] == "KeyError"
    replayed = shell.run("replay", failure["schedule"], "--times", "5", status=1)
    assert "5" in replayed.stdout
    assert "not reproduced" not in replayed.stdout
