"""What a program does when it forks is not done when a check forks, to run it in a child."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.end_to_end.conftest import Shell

_LIBRARY = """\
    import os
    import threading

    gate = threading.Condition()
    closed = False


    def close():
        global closed
        closed = True


    def reopen():
        global closed
        closed = False


    os.register_at_fork(before=close, after_in_parent=reopen)


    def enter():
        with gate:
            while closed:
                gate.wait()
    """

_PROGRAM = """\
    import threading

    import library


    def main():
        threads = [threading.Thread(target=library.enter) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    """


@pytest.mark.parametrize("isolation", ["fork", "restore"])
def test_hooks_at_forks_are_the_programs_own(shell: Shell, isolation: str) -> None:
    shell.write("library.py", _LIBRARY)
    shell.write("program.py", _PROGRAM)
    done = shell.run("check", "program.py::main", "--isolation", isolation, status=0).stdout
    assert done.startswith("verified")
