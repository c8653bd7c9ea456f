"""Unknown inputs of Python programs: all their values are searched, in classes, and failures name them."""

from __future__ import annotations

import itertools
import os
import random
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import mazurka
from mazurka.api import explore
from mazurka.program.python.instrument import sites
from mazurka.report.check_report import Verdict

#: ``make test-long`` asks for more.
_PROGRAMS = 300 if os.environ.get("HYPOTHESIS_PROFILE") == "long" else 6

HEAD = """
import threading
import mazurka

def run(n, m):
    state = {"x": 0, "y": 0}
    lock = threading.Lock()
    log = []
"""

STATEMENTS = (
    "if n > {a}: state['x'] += {b}",
    "if n == m: state['y'] = {a}",
    "with lock: state['x'] += n",
    "state['y'] = m * {a} + n",
    "if state['x'] > {a}: state['y'] += 1",
    "if (n + m) % {b} == 1: log.append({a})",
    "with lock: state['x'] = state['y'] + {a}",
    "if n * {b} - m > {a}: log.append(n)",
    "state[('x', 'y')[m & 1]] = {a}",
    "state[n % 2] = {b}",
)

CHECKS = ("state['x'] != {c}", "state['y'] != {c}", "len(log) < 2", "state['x'] <= {c}", "sum(log) != {c}")


def _program(seed: int) -> str:
    draw = random.Random(seed)
    lines = [HEAD]
    for number in range(2):
        lines.append(f"    def work_{number}():")
        for _ in range(draw.randint(1, 3)):
            statement = draw.choice(STATEMENTS)
            lines.append("        " + statement.format(a=draw.randint(0, 3), b=draw.randint(1, 3)))
    lines.append("    threads = [threading.Thread(target=each) for each in (work_0, work_1)]")
    lines.append("    for each in threads: each.start()")
    lines.append("    for each in threads: each.join()")
    lines.append("    assert " + draw.choice(CHECKS).format(c=draw.randint(1, 6)))
    lines.append("def unknown(): run(mazurka.symbolic_int('n', 0, 3), mazurka.symbolic_int('m', -1, 2))")
    lines += [f"def known_{n}_{m + 1}(): run({n}, {m})" for n, m in itertools.product(range(4), range(-1, 3))]
    return "\n".join(lines) + "\n"


@pytest.fixture(autouse=True)
def no_marks_of_other_programs() -> Iterator[None]:
    """Programs that other tests of this process have loaded compare types and identities, and have finalisers."""
    marks = (sites.comparing_identity, sites.looking_at_types, sites.finalizing, sites.referring_weakly)
    kept = [(each, set(each)) for each in marks]
    for each, _ in kept:
        each.clear()
    yield
    for each, before in kept:
        each.update(before)


def _module(name: str, source: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    (folder / f"{name}.py").write_text(source)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setitem(sys.modules, name, None)  # its removal at the end
    del sys.modules[name]
    return __import__(name)


@pytest.mark.sampled
@pytest.mark.parametrize("seed", sorted({*range(_PROGRAMS), 18}))  # in 18 the names of objects depend on the inputs
def test_it_fails_where_some_inputs_fail(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = _module(f"drawn_inputs_{seed}", _program(seed), tmp_path, monkeypatch)
    failing = {
        (n, m): explore(getattr(module, f"known_{n}_{m + 1}"), strategy="dpor").report.verdict is Verdict.VIOLATION
        for n, m in itertools.product(range(4), range(-1, 3))
    }
    for strategy in ("mcr", "dpor", "se-mcr", "unfolding"):
        report = explore(module.unknown, strategy=strategy).report
        if not any(failing.values()):
            assert report.verdict is Verdict.VERIFIED, report.reason
            assert "on all values of its unknown inputs" in report.reason
            continue
        assert report.verdict is Verdict.VIOLATION, report.reason
        inputs = dict(report.findings[0].inputs)
        assert failing[inputs["n"], inputs["m"]]
        assert report.findings[0].replayed


def test_outside_of_a_check_inputs_are_known() -> None:
    assert mazurka.symbolic_int("n", 3, 9) == 3
    assert mazurka.symbolic_int("n", -9, -3) == -3
    assert mazurka.symbolic_int("n") == 0
    assert mazurka.symbolic_bool("b") is False
    assert mazurka.symbolic_choice("c", "xyz") == "x"
    assert mazurka.symbolic_str("s", 4) == ""
    with pytest.raises(ValueError, match="no number is at least 3"):
        mazurka.symbolic_int("n", 3, 2)
    with pytest.raises(ValueError, match="no option"):
        mazurka.symbolic_choice("c", [])


def test_code_in_c_that_insists_on_an_int_cuts_the_execution(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = """
    import json
    import threading
    import mazurka

    def unknown():
        threads = [threading.Thread(target=json.dumps, args=(mazurka.symbolic_int("n", 0, 3),)) for _ in range(2)]
        for each in threads: each.start()
        for each in threads: each.join()

    def definite():
        n = int(mazurka.symbolic_int("n", 0, 3))
        threads = [threading.Thread(target=json.dumps, args=(n,)) for _ in range(2)]
        for each in threads: each.start()
        for each in threads: each.join()
    """
    module = _module("given_to_c", textwrap.dedent(source), tmp_path, monkeypatch)
    report = explore(module.unknown).report
    assert report.verdict is Verdict.INCONCLUSIVE
    assert "convert it by int()" in report.reason
    assert "(4 classes)" in explore(module.definite).report.reason


@pytest.mark.parametrize(
    "test",
    [
        "type(n) is int",
        "type(n) == int",
        "n.__class__ is int",
        "(n > 6) is True",
        "n is int('7')",
        "getattr(n, '__class__') == int",
    ],
)
def test_programs_that_tell_inputs_from_plain_integers_are_not_verified(
    test: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = f"""
    import threading
    import mazurka

    def work(n):
        if {test} and n == 7:
            raise ValueError(n)

    def unknown():
        thread = threading.Thread(target=work, args=(mazurka.symbolic_int("n", 0, 50),))
        thread.start()
        thread.join()
    """
    module = _module("telling_apart", textwrap.dedent(source), tmp_path, monkeypatch)
    assert explore(module.unknown).report.verdict is not Verdict.VERIFIED


@pytest.mark.parametrize("strategy", ["dpor", "unfolding"])
def test_an_input_with_another_range_is_another_input(
    strategy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ranges of both paths, taken together, left no value: the failure was missed."""
    source = """
    import threading
    import mazurka

    def unknown():
        n = mazurka.symbolic_int("n", 0, 1)
        m = mazurka.symbolic_int("m", 4, 5) if n > 0 else mazurka.symbolic_int("m", 6, 7)
        seen = []
        thread = threading.Thread(target=lambda: seen.append(1 if m == 5 else 0))
        thread.start()
        thread.join()
        assert seen != [1]
    """
    module = _module("ranges", textwrap.dedent(source), tmp_path, monkeypatch)
    report = explore(module.unknown, strategy=strategy).report
    assert report.verdict is Verdict.VIOLATION
    assert dict(report.findings[0].inputs) == {"n": 1, "m": 5}
    assert report.findings[0].replayed


@pytest.mark.parametrize(("strategy", "count"), [("dpor", "1 class"), ("unfolding", "1 path")])
def test_inputs_that_no_condition_tests_are_covered(
    strategy: str, count: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = """
    import threading
    import mazurka

    def unknown():
        n = mazurka.symbolic_int("n")
        seen = []
        threads = [threading.Thread(target=seen.append, args=(n,)) for _ in range(2)]
        for each in threads: each.start()
        for each in threads: each.join()
    """
    module = _module("untested", textwrap.dedent(source), tmp_path, monkeypatch)
    report = explore(module.unknown, strategy=strategy).report
    assert report.verdict is Verdict.VERIFIED
    assert f"on all values of its unknown inputs ({count})" in report.reason


@pytest.mark.parametrize("strategy", ["dpor", "unfolding"])
def test_an_input_that_outlives_its_execution_is_refused(
    strategy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Code that is not restored between executions keeps the number of the first one."""
    source = """
    import threading
    import keeping_numbers
    import mazurka

    def work(n, seen):
        if keeping_numbers.first(n) + n > 5:
            seen.append(1)

    def unknown():
        n, seen = mazurka.symbolic_int("n", 0, 9), []
        threads = [threading.Thread(target=work, args=(n, seen)) for _ in range(2)]
        for each in threads: each.start()
        for each in threads: each.join()
        assert len(seen) < 2 or n > 2
    """
    keeping = "kept = []\ndef first(n):\n    kept.append(n)\n    return kept[0]\n"
    outside = tmp_path / "site-packages"
    outside.mkdir()
    _module("keeping_numbers", keeping, outside, monkeypatch)
    module = _module("using_kept", textwrap.dedent(source), tmp_path, monkeypatch)
    assert explore(module.unknown, strategy=strategy).report.verdict is not Verdict.VERIFIED


@pytest.mark.parametrize("strategy", ["random", "pct", "pos", "surw"])
def test_sampling_draws_inputs(strategy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = """
    import threading
    import mazurka

    def unknown():
        n, m, seen = mazurka.symbolic_int("n", -3, 1000), mazurka.symbolic_int("m", 5, 9), []
        threads = [threading.Thread(target=seen.append, args=(each,)) for each in range(2)]
        for each in threads: each.start()
        for each in threads: each.join()
        assert not (n > 500 and m == 8 and seen[0])
    """
    module = _module("drawn", textwrap.dedent(source), tmp_path, monkeypatch)
    report = explore(module.unknown, strategy=strategy, max_executions=500).report
    assert report.verdict is Verdict.VIOLATION
    inputs = dict(report.findings[0].inputs)
    assert inputs["n"] > 500
    assert inputs["m"] == 8
    assert report.findings[0].replayed


@pytest.mark.parametrize("strategy", ["dpor", "unfolding"])
def test_conditions_where_a_timeout_fires_early_count(
    strategy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = """
    import threading
    import time
    import mazurka

    def unknown():
        n, event, seen = mazurka.symbolic_int("n", 0, 9), threading.Event(), []

        def setter():
            if n > 4:
                time.sleep(0.0005)
            event.set()

        threads = [threading.Thread(target=lambda: seen.append(event.wait(0.001))), threading.Thread(target=setter)]
        for each in threads: each.start()
        for each in threads: each.join()
        assert seen == [True] or n != 7
    """
    module = _module("timed_inputs", textwrap.dedent(source), tmp_path, monkeypatch)
    report = explore(module.unknown, strategy=strategy).report
    assert report.verdict is Verdict.VIOLATION
    assert dict(report.findings[0].inputs) == {"n": 7}
    assert report.findings[0].replayed
