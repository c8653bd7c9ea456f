"""C++ programs: exceptions, static variables, virtual functions, and the standard library's threads."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.c_programs import explored, opened

from mazurka.explore.explorer import Budget, Explorer
from mazurka.explore.outcome import Outcome, Verified, Violation
from mazurka.program.llvm.program import CProgram
from mazurka.program.protocol import FailureKind, Plan
from mazurka.program.settings import ProgramSettings

OBJECTS = """
#include <cassert>
#include <vector>
struct Shape { virtual ~Shape() {} virtual int area() const = 0; };
struct Square : Shape { int side; Square(int side) : side(side) {} int area() const override { return side * side; } };
static std::vector<int> sizes = {1, 2};
static int total(const std::vector<Shape *> &shapes) {
  int sum = 0;
  for (auto each : shapes) sum += each->area();
  return sum;
}
int main() {
  std::vector<Shape *> shapes;
  for (int size : sizes) shapes.push_back(new Square(size));
  assert(total(shapes) == 5);
  for (auto each : shapes) delete each;
}
"""

EXCEPTIONS = """
#include <cassert>
#include <stdexcept>
#include <string>
struct A { virtual ~A() {} int a = 1; };
struct B { virtual ~B() {} int b = 2; };
static int alive, order[9], count;
struct C : A, B { C() { alive++; } C(const C &) { alive++; } ~C() { alive--; } };
struct Note { int number; ~Note() { order[count++] = number; } };
static void deep(int depth) { Note note{depth}; if (!depth) throw C(); deep(depth - 1); }
static void middle() { try { deep(2); } catch (A &caught) { assert(caught.a == 1); Note note{10}; throw; } }
static int tried() { static int calls; if (!calls++) throw 7; return calls; }
static int kept() { static int value = tried(); return value; }
int main() {
  try { middle(); } catch (B &caught) { assert(caught.b == 2); }
  assert(alive == 0 && count == 4 && order[0] == 0 && order[2] == 2 && order[3] == 10);
  try { kept(); assert(0); } catch (int number) { assert(number == 7); }
  assert(kept() == 2 && kept() == 2);
  try { throw "text"; } catch (const char *text) { assert(text[0] == 't'); }
  try {
    try { throw std::out_of_range("far"); } catch (std::runtime_error &) { assert(0); }
  } catch (std::logic_error &error) { assert(std::string(error.what()) == "far"); }
  try { throw 1; } catch (...) {
    try { throw 2; } catch (int number) { assert(number == 2); }
    try { throw; } catch (int number) { assert(number == 1); }
  }
}
"""

UNCAUGHT = """
#include <pthread.h>
#include <stdexcept>
int ready;
void *work(void *) { if (!ready) throw std::runtime_error("not ready"); return 0; }
int main() {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  ready = 1;
  pthread_join(thread, 0);
}
"""

STATIC = """
#include <cassert>
#include <pthread.h>
static int made;
struct Once { int value; Once() { made++; value = 3; } };
static int value() { static Once once; return once.value; }
static void *work(void *) { assert(value() == 3); return 0; }
int main() {
  pthread_t threads[2];
  for (auto &each : threads) pthread_create(&each, 0, work, 0);
  for (auto &each : threads) pthread_join(each, 0);
  assert(made == 1);
}
"""

THREADS = """
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>
std::mutex mutex; std::condition_variable changed; bool ready; int count;
static void work() {
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [] { return ready; });
  count++;
}
int main() {
  std::thread one(work), other(work);
  { std::lock_guard<std::mutex> lock(mutex); ready = true; changed.NOTIFY(); }
  one.join(); other.join();
  assert(count == 2);
}
"""

EVENTS = """
#include <atomic>
#include <cassert>
#include <future>
#include <memory>
int main() {
  auto shared = std::make_shared<std::atomic<int>>(1);
  auto task = std::async(std::launch::async, [shared] { return ++*shared; });
  auto failing = std::async(std::launch::async, []() -> int { throw 5; });
  assert(task.get() == 2);
  try { failing.get(); assert(0); } catch (int number) { assert(number == 5); }
}
"""


STREAMS = """#include <cassert>
#include <iomanip>
#include <iostream>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>

std::mutex lock;

void say(int number) {
    std::ostringstream text;
    text << "thread " << std::setw(3) << std::setfill('0') << number;
    std::lock_guard<std::mutex> held(lock);
    std::cout << text.str() << std::endl;
}

int main() {
    std::cout << 42 << ' ' << std::hex << 255 << std::dec << ' ' << std::boolalpha << true << ' ' << 'c' << '\\n';
    std::cout << std::fixed << std::setprecision(2) << 2.5 << ' ' << std::scientific << 1e10 << ' ' << -7L << '\\n';
    std::istringstream given("12 3.25 word\\nthe rest of it");
    int whole; double part; std::string word, line;
    given >> whole >> part >> word;
    std::getline(given, line); std::getline(given, line);
    std::cerr << whole << '|' << part << '|' << word << '|' << line << '|' << given.eof() << std::endl;
    std::stringstream both; both << 5; both >> whole; assert(whole == 5 && std::stoi("17") == 17);
    std::thread one(say, 7), other(say, 12);
    one.join(); other.join();
}
"""

#: The output of the native program.
PRINTED = """42 ff true c
2.50 1.00e+10 -7
12|3.25|word|the rest of it|1
thread 007
thread 012
"""


def _program(folder: Path, text: str) -> CProgram:
    path = folder / "program.cpp"
    path.write_text(text)
    return CProgram(str(path), (), (), ProgramSettings())


def _outcome(folder: Path, text: str) -> Outcome:
    return explored(_program(folder, text))


@pytest.mark.parametrize("text", [OBJECTS, EXCEPTIONS], ids=["objects", "exceptions"])
def test_one_thread_does_as_c_plus_plus_says(text: str, tmp_path: Path) -> None:
    outcome = _outcome(tmp_path, text)
    assert not outcome.found, outcome.found
    assert not outcome.untracked


def test_an_exception_without_handler_is_a_failure(tmp_path: Path) -> None:
    outcome = _outcome(tmp_path, UNCAUGHT)
    assert isinstance(outcome.verdict, Violation)
    (found,) = outcome.found
    assert found.failure.message == "uncaught exception: an exception of type std::runtime_error is not caught"
    assert found.failure.location is not None
    assert (found.failure.location.line, found.failure.location.function) == (5, "work")


def test_static_variables_of_functions_are_made_once(tmp_path: Path) -> None:
    outcome = _outcome(tmp_path, STATIC)
    assert isinstance(outcome.verdict, Verified)
    assert outcome.executions > 1


def test_threads_of_the_standard_library_are_explored(tmp_path: Path) -> None:
    assert isinstance(_outcome(tmp_path, THREADS.replace("NOTIFY", "notify_all")).verdict, Verified)
    outcome = _outcome(tmp_path, THREADS.replace("NOTIFY", "notify_one"))
    assert isinstance(outcome.verdict, Violation)
    assert outcome.found[0].failure.kind in (FailureKind.DEADLOCK, FailureKind.BLOCKED)


def test_futures_carry_values_and_exceptions(tmp_path: Path) -> None:
    outcome = Explorer(_program(tmp_path, EVENTS), "mcr", stop_at_first=False, budget=Budget(60)).run()
    assert not outcome.found, outcome.found


USES = ("pthread_mutex_trylock(p)", "pthread_mutex_lock(p); pthread_mutex_unlock(p)")


@pytest.mark.parametrize("strategy", ["dfs", "dpor", "mcr"])
@pytest.mark.parametrize("use", USES)
def test_a_primitive_in_memory_that_another_thread_frees_is_used_after_free(
    use: str, strategy: str, tmp_path: Path
) -> None:
    """Uses of primitives were no accesses of their memory, so that no other order was looked for."""
    text = f"""
void *user(void *p) {{ {use}; return 0; }}
void *ender(void *p) {{ free(p); return 0; }}
int main() {{
    pthread_t a, b; pthread_mutex_t *m = malloc(sizeof *m); pthread_mutex_init(m, 0);
    pthread_create(&a, 0, user, m); pthread_create(&b, 0, ender, m); pthread_join(a, 0); pthread_join(b, 0);
}}
"""
    outcome = explored(opened(tmp_path, text), strategy)
    assert isinstance(outcome.verdict, Violation)
    assert {each.failure.exception for each in outcome.found} == {"use after free"}


def test_streams_print_what_they_print_in_the_native_program(tmp_path: Path) -> None:
    """They rest on the locales of the C library."""
    run = _program(tmp_path, STREAMS).execute(Plan())
    assert not run.failures
    assert not run.truncated
    assert run.output == PRINTED
