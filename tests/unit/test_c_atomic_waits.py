"""Programs in C++20 that wait for atomic objects, latches, barriers and semaphores, and stop threads: each as it should
be, and with a bug."""

from __future__ import annotations

from pathlib import Path

import pytest

from mazurka.explore.explorer import Budget, Explorer
from mazurka.explore.outcome import Inconclusive, Outcome, Verified, Violation
from mazurka.program.llvm.program import CProgram
from mazurka.program.memory import MemoryModel
from mazurka.program.settings import ProgramSettings

HEAD = """#include <atomic>
#include <barrier>
#include <cassert>
#include <latch>
#include <semaphore>
#include <stop_token>
#include <thread>
"""

#: A program, with {} in place of what is right, and of what is wrong.
PROGRAMS = {
    "value": (
        """std::atomic<int> n; int d;
        int main() { std::thread t([] { d = 1; n.store(1); {} }); n.wait(0); assert(d == 1); t.join(); }""",
        "n.notify_one();",
        "",
    ),
    "byte": (
        """std::atomic<char> n; int d;
        int main() { std::thread t([] { {} n.notify_all(); }); n.wait(0); assert(d == 1); t.join(); }""",
        "d = 1; n.store(1);",
        "n.store(1); d = 1;",
    ),
    "all": (
        """std::atomic<int> n;
        int main() {
            std::thread t([] { n.wait(0); }), u([] { n.wait(0); });
            n = 1; n.{}(); t.join(); u.join();
        }""",
        "notify_all",
        "notify_one",
    ),
    "latch": (
        """int n; std::latch l(1);
        int main() { std::thread t([] { {} }); l.wait(); assert(n == 1); t.join(); }""",
        "n = 1; l.count_down();",
        "l.count_down(); n = 1;",
    ),
    "latch of two": (
        """std::latch l({});
        int main() { std::thread t([] { l.count_down(); }); l.wait(); t.join(); }""",
        "1",
        "2",
    ),
    "barrier": (
        """int n, m;
        int main() {
            std::barrier b(2);
            std::thread t([&] { {} assert(m == 1); });
            m = 1; b.arrive_and_wait(); assert(n == 1); t.join();
        }""",
        "n = 1; b.arrive_and_wait();",
        "b.arrive_and_wait(); n = 1;",
    ),
    "semaphore": (
        """int n; std::counting_semaphore<2> s({});
        int main() {
            std::thread t([] { s.acquire(); n++; s.release(); });
            s.acquire(); n++; s.release(); t.join(); assert(n == 2);
        }""",
        "1",
        "2",
    ),
    "stop": (
        """std::atomic<int> n;
        int main() {
            {
                std::jthread t([](std::stop_token s) { while (!s.stop_requested()) std::this_thread::yield(); n = 1; });
                {}
            }
            assert(n == 1);
        }""",
        "",
        "t.detach();",
    ),
}


def _checked(folder: Path, text: str, **settings: object) -> Outcome:
    path = folder / "program.cpp"
    path.write_text(HEAD + text)
    program = CProgram(str(path), ("-std=c++20",), (), ProgramSettings(**settings))  # type: ignore[arg-type]
    return Explorer(program, "dpor", stop_at_first=True, budget=Budget(1_500)).run()


@pytest.mark.sampled
@pytest.mark.parametrize("name", PROGRAMS)
def test_verdicts_are_right_with_and_without_a_bug(name: str, tmp_path: Path) -> None:
    text, right, wrong = PROGRAMS[name]
    verdict = _checked(tmp_path, text.replace("{}", right)).verdict
    assert isinstance(verdict, (Verified, Inconclusive) if name == "all" else Verified)  # it has very many orders
    assert isinstance(_checked(tmp_path, text.replace("{}", wrong)).verdict, Violation)


def test_nothing_is_verified_under_weak_memory(tmp_path: Path) -> None:
    text, right, _ = PROGRAMS["value"]
    outcome = _checked(tmp_path, text.replace("{}", right), memory=MemoryModel.TSO)
    assert isinstance(outcome.verdict, Inconclusive)


def test_nothing_is_verified_of_races(tmp_path: Path) -> None:
    text, right, _ = PROGRAMS["value"]
    relaxed = text.replace("{}", right).replace("n.store(1)", "n.store(1, std::memory_order_relaxed)")
    assert not isinstance(_checked(tmp_path, relaxed, races=True).verdict, Verified)
