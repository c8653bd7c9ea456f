"""A recording that is taken apart into a log of each thread proves the same as the recording."""

from __future__ import annotations

import json
from typing import Any

PROGRAM = """
import queue
import threading

stock = {"pen": 2}
lock = threading.Lock()
done = queue.Queue()


def buy(name):
    if stock["pen"] > 0:
        with lock:
            stock["pen"] -= 1
    done.put(name)


threads = [threading.Thread(target=buy, args=(name,)) for name in ("ada", "bob")]
for each in threads:
    each.start()
for each in threads:
    each.join()
"""


def _found(shell: Any, *arguments: str) -> set[tuple[str, str]]:
    done = shell.run("predict", *arguments, "--kind", "races", "--format", "json", status=1)
    return {(each["kind"], each["message"]) for each in json.loads(done.stdout)["findings"]}


def _recorded(shell: Any) -> None:
    (shell.folder / "shop.py").write_text(PROGRAM)
    shell.run("record", "--values", "-o", "rec", "shop.py")


def test_logs_of_threads_prove_the_same(shell: Any) -> None:
    _recorded(shell)
    shell.run("convert", "rec", "logs", "--per-thread")
    assert len(list((shell.folder / "logs").iterdir())) == 3
    assert _found(shell, "logs", "--per-thread") == _found(shell, "rec")


def test_a_folder_with_files_is_left_alone(shell: Any) -> None:
    _recorded(shell)
    (shell.folder / "logs").mkdir()
    (shell.folder / "logs" / "mine.txt").write_text("kept")
    done = shell.run("convert", "rec", "logs", "--per-thread", status=2)
    assert "it exists, and is no empty folder" in done.stderr
    assert [each.name for each in (shell.folder / "logs").iterdir()] == ["mine.txt"]
