"""Programs with schedulers of other libraries: inconclusive at once, by name, and none of their code is run.

The libraries are no dependency of the suite. In their place stand modules of the same names and functions, which fail
when they are called; they lie where no module is instrumented. Greenlets are real.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests import preloaded

if TYPE_CHECKING:
    from tests.end_to_end.conftest import Shell

_LIBRARIES = {
    "gevent/__init__.py": "def spawn(call):\n    from gevent.hub import Hub\n    return Hub().run(call)\n",
    "gevent/monkey.py": "saved = {}\ndef patch_all():\n    raise SystemError('patched')\npatch_thread = patch_all\n",
    "gevent/hub.py": "class Hub:\n    def __init__(self):\n        raise SystemError('started')\n",
    "eventlet/__init__.py": "from eventlet.patcher import monkey_patch\n",
    "eventlet/patcher.py": "already_patched = {}\ndef monkey_patch():\n    raise SystemError('patched')\n",
    "uvloop.py": "import asyncio\n\n\nclass Loop(asyncio.SelectorEventLoop):\n    pass\n\n\n"
    "def new_event_loop():\n    return Loop()\n",
}

#: Statements at the head of the program and in its main function -> the name that the verdict gives.
_USES = {
    ("from gevent import monkey; monkey.patch_all()", "pass"): "gevent.monkey.patch_all",
    ("import gevent.monkey", "gevent.monkey.patch_thread()"): "gevent.monkey.patch_thread",
    ("pass", "thread.start(); from gevent import monkey; monkey.patch_all()"): "gevent.monkey.patch_all",
    ("import gevent", "gevent.spawn(work)"): "gevent.hub.Hub",
    ("import eventlet; eventlet.monkey_patch()", "pass"): "eventlet.monkey_patch",
    ("import asyncio, uvloop", "asyncio.Runner(loop_factory=uvloop.new_event_loop).run(rest())"): "uvloop.Loop",
    ("import greenlet", "greenlet.greenlet(lambda: (thread.start(), thread.join())).switch()"): "a greenlet of its own",
}

_PROGRAM = """\
{head}
import threading

lock = threading.Lock()
done = []


async def rest():
    pass


def work():
    with lock:
        done.append(1)


def main():
    thread = threading.Thread(target=work)
    {use}
    if not thread.ident:
        thread.start()
    thread.join()


if __name__ == "__main__":
    main()
"""


@pytest.fixture
def libraries(shell: Shell) -> Shell:
    for name, source in _LIBRARIES.items():
        shell.write(f"site-packages/{name}", source)
    shell.environment["PYTHONPATH"] = str(shell.folder / "site-packages")
    return shell


@pytest.mark.parametrize("use", _USES, ids=_USES.values())
@pytest.mark.parametrize("target", ["program.py", "program.py::main"])
def test_their_use_is_named(use: tuple[str, str], target: str, libraries: Shell) -> None:
    libraries.write("program.py", _PROGRAM.format(head=use[0], use=use[1]))
    done = libraries.run("check", target, "--time-limit", "20")
    assert "inconclusive" in done.stdout.splitlines()[0]
    assert _USES[use] in done.stdout


def test_their_import_makes_no_difference(libraries: Shell) -> None:
    program = _PROGRAM.format(head="import eventlet, gevent.monkey, gevent.hub, uvloop", use="pass")
    report = libraries.check(program, status=0)
    assert report["verdict"] == "verified", report["reason"]


def test_a_session_of_pytest_that_was_patched_before(libraries: Shell) -> None:
    libraries.write("conftest.py", "from gevent import monkey\nmonkey.saved['threading'] = {}\n")
    libraries.write("test_one.py", "import threading\ndef test_one():\n    threading.Thread(target=print).start()\n")
    plugin = ("-p", "mazurka.pytest_plugin", "-p", "no:cacheprovider", "--mazurka")
    done = preloaded.run_fresh(plugin, libraries.folder, libraries.variables(), 60, module="pytest")
    assert done.returncode == 4
    assert "gevent or eventlet has taken the place of threading" in done.stderr
