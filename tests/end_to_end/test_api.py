"""Exploring from Python, in scripts of their own."""

from __future__ import annotations

import subprocess
import sys

SCENARIO = """\
import threading

from mazurka.api import ConcurrencyFailure, explore
from mazurka.errors import UsageError

kept = []
lock = threading.Lock()


class Counter:
    def __init__(self):
        self.value = 0

    def count(self):
        self.value += 1

    def count_safely(self):
        with lock:
            self.value += 1


def scenario(method):
    def run():
        kept.append(1)
        assert len(kept) == 1, "the state was not put back"
        counter = Counter()
        threads = [threading.Thread(target=getattr(counter, method)) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert counter.value == 2, counter.value

    return run
"""


def run(shell, rest, *, status=0):
    shell.write("scenario.py", SCENARIO + rest)
    done = subprocess.run(
        [*shell.command("scenario")],
        cwd=shell.folder,
        env={**shell.variables(), "PYTHONPATH": f"{shell.variables()['PYTHONPATH']}:{shell.folder}"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout


def test_a_failure_is_found_and_raised(shell):
    said = run(
        shell,
        """
result = explore(scenario("count"))
print(result.verdict.value, result.failures[0].failure.message)
try:
    result.raise_for_failure()
except ConcurrencyFailure as failure:
    print(failure)
before = threading.Lock
thread = threading.Thread(target=print, args=("threads are real again",))
thread.start()
thread.join()
""",
    )
    assert "violation AssertionError: 1" in said
    assert "Lost update" in said
    assert "mazurka replay" not in said  # there is no program for the command line to load
    token = next(word for word in said.split() if word.startswith("mz1-"))
    assert "mazurka.api.replay" in shell.run("replay", token, status=2).stderr
    assert "threads are real again" in said


def test_a_replay(shell):
    said = run(
        shell,
        """
from mazurka.api import replay
from mazurka.errors import MazurkaError

test = scenario("count")
token = explore(test).failures[0].token
for _ in range(3):
    print(replay(test, token).failures[0].failure.message)
try:
    replay(scenario("count_safely"), token)
except MazurkaError as error:
    print(error)
""",
    )
    assert said.count("AssertionError: 1\n") == 3
    assert "diverges" in said


def test_a_proof(shell):
    said = run(
        shell,
        """
result = explore(scenario("count_safely"), strategy="dfs")
result.raise_for_failure(require_complete=True)
print(result.verdict.value, len(kept))
print(explore(scenario("count_safely"), max_executions=1).verdict.value)
""",
    )
    assert said == "verified 0\ninconclusive\n"


def test_wrong_settings(shell):
    said = run(
        shell,
        """
for wrong in ({"stratgy": "dfs"}, {"seed": -1}):
    try:
        explore(scenario("count"), **wrong)
    except UsageError as error:
        print(error)
try:
    explore(len)
except UsageError as error:
    print(error)
""",
    )
    assert "did you mean strategy?" in said
    assert "seed = -1" in said
    assert "no source file" in said


def test_a_look_at_the_end_of_each_execution(shell):
    """The scenario joins nothing and returns its counter; the look sees it when all threads have ended."""
    said = run(
        shell,
        """
def unjoined():
    counter = Counter()
    for _ in range(2):
        threading.Thread(target=counter.count).start()
    return counter


def both_counted(counter):
    assert counter.value == 2, counter.value


if __name__ == "__main__":
    result = explore(unjoined, at_end=both_counted)
    print(result.verdict, result.failures[0].failure.message)
    from mazurka.api import replay
    print(replay(unjoined, result.failures[0].token, at_end=both_counted).failures[0].failure.message)
    print(explore(unjoined, at_end=lambda counter: counter.value in (1, 2) or 1 / 0).verdict)
""",
    )
    assert "AssertionError: 1" in said.splitlines()[0]
    assert said.splitlines()[1] == "AssertionError: 1"
    assert "VERIFIED" in said.splitlines()[2] or "verified" in said.splitlines()[2]


COUNTING = """\
import threading

called = []
seen = []


def scenario():
    seen.clear()
    threads = [threading.Thread(target=call) for call in called or [lambda: seen.append(1)] * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) <= 2
"""

CALLER = """\
import library
from mazurka.api import explore

client = (each for each in range(3))  # a generator is nothing that can be put back
number = 0


def work():
    global number
    number += 1
    library.seen.append(number)


{before}
report = explore(library.scenario, {settings}jobs=1).report
print(report.verdict.value, "forked" if any("forked" in note for note in report.notes) else "", report.reason)
"""


def test_what_only_the_caller_has_makes_no_execution_slow(shell):
    """A module that explores one of another's functions is no part of the program, unless it is reached from there."""
    shell.write("library.py", COUNTING)

    def said(before="", settings=""):
        shell.write("caller.py", CALLER.format(before=before, settings=settings))
        variables = {**shell.variables(), "PYTHONPATH": f"{shell.variables()['PYTHONPATH']}:{shell.folder}"}
        done = subprocess.run(
            shell.command("caller"),
            cwd=shell.folder,
            env=variables,
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        return done.stdout

    assert said().startswith("verified  all")
    assert said(settings="include=['__main__'], ").startswith("verified forked all")
    assert said("library.called += [work, work]").startswith("verified forked all")
    shell.write("library.py", COUNTING.replace("seen.append(1)", "hidden()"))
    assert "entered but not explored: __main__" in said("import builtins; builtins.hidden = work")


def test_looks_by_other_projects_count(shell):
    """A function of another project looks at what daemons change: by itself, by functions beside it, past what it's
    given. With free variables, which may collect, it's not instrumented, and its reads are unknown."""
    shell.write(
        "program/scene.py",
        """
import threading
state = [0]
def scenario():
    shared = {"depth": [[0]]}
    def change():
        shared["depth"][0].append(1)
        state[0] = 1
    state[0] = 0
    threading.Thread(target=change, daemon=True).start()
    return shared
""",
    )
    shell.write(
        "others/looks.py",
        """
import scene
def nothing(shared): pass
def argument(shared): assert len(shared["depth"][0]) == 1
def another(shared): argument(shared)
def variable(shared): assert scene.state == [0]
class Look:
    def __call__(self, shared): assert scene.state[0] == 0
    def method(self, shared): assert not scene.state[0]
look = Look()
def collecting(seen): return lambda shared: seen.append(scene.state[0])
""",
    )
    shell.write(
        "run.py",
        """
import sys
sys.path[:0] = ["program", "others"]
import looks, scene
from mazurka.api import explore
seen = []
for each in (looks.nothing, looks.argument, looks.another, looks.variable, looks.look, looks.look.method):
    for strategy in ("dfs", "mcr", "auto"):
        print(explore(scene.scenario, at_end=each, strategy=strategy, jobs=1).verdict.name, end=" ")
result = explore(scene.scenario, at_end=looks.collecting(seen), jobs=1)
print(result.verdict.name, result.report.reason)
""",
    )
    done = subprocess.run(
        [sys.executable, "run.py"],
        cwd=shell.folder,
        check=False,
        env=shell.variables(),
        capture_output=True,
        text=True,
        timeout=120,
    )
    verdicts = "VERIFIED " * 3 + "VIOLATION " * 15
    assert done.stdout.strip() == f"{verdicts}INCONCLUSIVE entered but not explored: looks (add --include looks)"
