"""A failure is replayed several times in one process: each replay starts from the same state, with the same points."""

from __future__ import annotations

from pathlib import Path

from tests import preloaded

_PROGRAM = """
import threading
import weakref


class Guard:
    by_name = weakref.WeakValueDictionary()

    def __init__(self, name):
        self.mutex = Guard.by_name.get(name)
        if name in Guard.by_name:
            self.mutex = Guard.by_name[name]
        else:
            self.mutex = threading.RLock()
            Guard.by_name[name] = self.mutex


def work():
    with Guard("disk").mutex:
        pass


workers = [threading.Thread(target=work) for _ in range(2)]
for each in workers:
    each.start()
for each in workers:
    each.join()
"""


def test_objects_that_are_referred_to_weakly(tmp_path: Path) -> None:
    (tmp_path / "guard.py").write_text(_PROGRAM)
    environment = preloaded.environment()
    checked = preloaded.run(("check", "guard.py"), tmp_path, environment, timeout=120)
    assert checked.returncode == 1, checked.stdout + checked.stderr
    (saved,) = (tmp_path / ".mazurka" / "failures").glob("*.json")
    again = preloaded.run(("replay", "--times", "3", str(saved)), tmp_path, environment, timeout=120)
    assert again.stdout.startswith("reproduced, 3 of 3 times"), again.stdout + again.stderr
