"""Critical sections as single events: on random programs whose threads share data under locks, ``dpor`` reaches the
outcomes of ``dfs``, and ``icb-dpor`` those of ``icb`` up to each bound.

A part of the programs breaks the discipline on which it rests; see tests/oracle/guarded_programs.py.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.oracle.guarded_programs import drawn_guarded
from tests.oracle.shown_outcomes import compare_bounded, compare_dpor, explored

#: Programs leave files open.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

_LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
_PROGRAMS = 3_000 if _LONG else 12

#: Programs that once had an outcome too few: objects that sections are the first to meet have another number in each
#: order; a thread that writes to a file while another one flushes it.
_KEPT = (463, 20_009)


def _programs(folder: Path, first: int, what: str, alone: bool) -> Iterator[tuple[int, Path]]:
    for number in (*_KEPT, *range(first, first + _PROGRAMS)):
        path = folder / f"guarded_{number}.py"
        path.write_text(drawn_guarded(number, what, alone))
        yield number, path


@pytest.mark.slow
@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.parametrize("what", ["keys", "elements", "files"])
def test_dpor_reaches_all_outcomes(tmp_path: Path, what: str, alone: bool) -> None:
    compared, before, after = compare_dpor(_programs(tmp_path, 0, what, alone))
    assert compared > _PROGRAMS // 3
    assert after < before / 2


@pytest.mark.slow
@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.parametrize("what", ["keys", "elements", "files"])
def test_bounded_search_reaches_the_outcomes_within_its_bound(tmp_path: Path, what: str, alone: bool) -> None:
    assert compare_bounded(_programs(tmp_path, 3_000, what, alone)) > _PROGRAMS // 3


#: One order with one preemption, of T in its section, prints "1 5 1": U and V then wait for the lock, so that
#: to switch away from them preempts nobody.
_WAITING_FOR_A_SECTION = """\
import threading

lock, a, b, c, d, e, s, k = threading.Lock(), 0, 0, 0, 0, 0, 1, 0


def t():
    global a, s, d
    a = 1
    with lock: s = s * 2
    d = c


def u():
    global b, s, e
    b = a
    with lock: s = s * 2 + 1
    e = d


def v():
    global c, k
    c = b
    with lock: k += 1
    with lock: k += 1


threads = [threading.Thread(target=f) for f in (t, u, v)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(d, s, e)
"""


def test_a_thread_before_a_section_is_not_preempted(tmp_path: Path) -> None:
    path = tmp_path / "waiting.py"
    path.write_text(_WAITING_FOR_A_SECTION)
    shown, _ = explored(path, "icb-dpor", 1)
    assert "1 5 1\n" in {output for output, _ in shown}
