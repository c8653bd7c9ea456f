"""The models of Python's primitives, on the runtime: all interleavings of small programs."""

from __future__ import annotations

import _thread
import queue
import sys
import threading
import time
import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed, wait
from typing import Any

import pytest
from tests.unit.primitive_runs import every_run, installed, outcomes, random_plans, run

from mazurka.program.protocol import Plan


@pytest.fixture(autouse=True)
def models() -> Iterator[None]:
    with installed():
        yield


def start(*bodies: Any, **options: Any) -> list[threading.Thread]:
    threads = [threading.Thread(target=body, **options) for body in bodies]
    for thread in threads:
        thread.start()
    return threads


def join(threads: list[threading.Thread]) -> None:
    for thread in threads:
        thread.join()


class TestLock:
    def test_excludes(self) -> None:
        def main() -> str:
            lock, inside, order = threading.Lock(), [0], []

            def body(name: str) -> None:
                with lock:
                    inside[0] += 1
                    time.sleep(0)
                    assert inside[0] == 1
                    order.append(name)
                    inside[0] -= 1

            join(start(lambda: body("a"), lambda: body("b"), lambda: body("c")))
            return "".join(order)

        assert outcomes(main) == {"abc", "acb", "bac", "bca", "cab", "cba"}

    def test_try_lock_sees_both_states(self) -> None:
        def main() -> tuple[bool, bool]:
            lock = threading.Lock()
            seen = []

            def hold() -> None:
                with lock:
                    pass

            threads = start(hold)
            got = lock.acquire(False)
            if got:
                lock.release()
            seen.append(lock.locked())
            join(threads)
            return got, seen[0]

        assert outcomes(main) == {(True, True), (True, False), (False, False), (False, True)}

    def test_a_timeout_ends_a_wait_that_nobody_else_can_end(self) -> None:
        def main() -> tuple[bool, float]:
            lock = threading.Lock()
            lock.acquire()
            before = time.monotonic()
            got = lock.acquire(timeout=5)
            return got, round(time.monotonic() - before)

        assert outcomes(main) == {(False, 5)}

    def test_another_thread_may_release(self) -> None:
        def main() -> bool:
            lock = threading.Lock()
            lock.acquire()
            join(start(lock.release))
            return lock.acquire(False)

        assert outcomes(main) == {True}

    def test_rlock_is_reentrant_for_its_owner_only(self) -> None:
        def main() -> tuple[bool, ...]:
            lock, seen = threading.RLock(), []
            with lock, lock:
                join(start(lambda: seen.append(lock.acquire(False))))
            join(start(lambda: seen.append(lock.acquire(False))))
            return tuple(seen)

        assert outcomes(main) == {(False, True)}

    def test_rlock_of_another_thread_cannot_be_released(self) -> None:
        def main() -> str:
            lock, said = threading.RLock(), []
            lock.acquire()

            def other() -> None:
                try:
                    lock.release()
                except RuntimeError as error:
                    said.append(str(error))

            join(start(other))
            return said[0]

        assert outcomes(main) == {"cannot release un-acquired lock"}


class TestCondition:
    @pytest.mark.parametrize("kind", ["Lock", "RLock"])
    def test_hand_over(self, kind: str) -> None:
        def main() -> tuple[int, ...]:
            condition = threading.Condition(getattr(threading, kind)())
            box: list[int] = []

            def take() -> None:
                with condition:
                    while not box:
                        condition.wait()
                    got.append(box.pop())

            got: list[int] = []
            threads = start(take, take)
            for item in (1, 2):
                with condition:
                    box.append(item)
                    condition.notify()
            join(threads)
            return tuple(got)

        assert outcomes(main) == {(1, 2), (2, 1)}

    def test_waiters_are_woken_in_the_order_they_came(self) -> None:
        def main() -> tuple[int, ...]:
            condition, order, woken = threading.Condition(), [], []

            def body(number: int) -> None:
                with condition:
                    order.append(number)
                    condition.wait()
                    woken.append(number)

            threads = start(lambda: body(1), lambda: body(2))
            while True:
                with condition:
                    if len(order) == 2:
                        break
                time.sleep(1)
            with condition:
                condition.notify()
            threads[order[0] - 1].join()
            with condition:
                condition.notify()
            join(threads)
            assert woken == order
            return tuple(order)

        plans = [Plan(), *random_plans(50)]
        assert {run(main, plan).check() for plan in plans} == {(1, 2), (2, 1)}

    def test_recursion_level_survives_a_wait(self) -> None:
        def main() -> bool:
            condition = threading.Condition()
            with condition, condition:
                threads = start(lambda: notify(condition))
                condition.wait()
                join(threads)
            return condition.acquire(False)

        def notify(condition: threading.Condition) -> None:
            with condition:
                condition.notify_all()

        # The join happens under the lock, which the other has left by then.
        assert outcomes(main) == {True}

    def test_wait_times_out_and_reacquires(self) -> None:
        def main() -> tuple[bool, bool]:
            condition = threading.Condition(threading.Lock())
            with condition:
                notified = condition.wait(3)
                held = not condition.acquire(False)
            return notified, held

        assert outcomes(main) == {(False, True)}

    def test_over_a_lock_of_ones_own(self) -> None:
        class Own:
            def __init__(self) -> None:
                self.lock = threading.Lock()

            def acquire(self, *args: Any) -> bool:
                return self.lock.acquire(*args)

            def release(self) -> None:
                self.lock.release()

            def locked(self) -> bool:  # a condition calls it from Python 3.14 on
                return self.lock.locked()

            def __enter__(self) -> Any:
                return self.acquire()

            def __exit__(self, *args: object) -> None:
                self.release()

        def main() -> bool:
            condition, ready = threading.Condition(Own()), []  # type: ignore[arg-type]

            def body() -> None:
                with condition:
                    ready.append(1)
                    condition.notify_all()

            threads = start(body)
            with condition:
                condition.wait_for(lambda: ready)
            join(threads)
            return True

        assert {run(main, plan).check() for plan in random_plans(30)} == {True}


class TestEvent:
    def test_wait_sees_set(self) -> None:
        def main() -> bool:
            event = threading.Event()
            threads = start(event.set)
            got = event.wait()
            join(threads)
            return got and event.is_set()

        assert outcomes(main) == {True}

    def test_is_set_races_with_set(self) -> None:
        def main() -> bool:
            event = threading.Event()
            threads = start(event.set)
            seen = event.is_set()
            join(threads)
            return seen

        assert outcomes(main) == {True, False}

    def test_a_pulse_wakes_only_those_who_had_arrived(self) -> None:
        def main() -> bool | None:
            event, got = threading.Event(), []

            def body() -> None:
                got.append(event.wait())

            start(body)
            event.set()
            event.clear()
            return None

        kinds = {bool(outcome.failures) for outcome in every_run(main)}
        assert kinds == {True, False}


class TestSemaphore:
    def test_never_more_than_its_value(self) -> None:
        def main() -> int:
            semaphore, inside, most = threading.BoundedSemaphore(2), [0], [0]

            def body() -> None:
                with semaphore:
                    inside[0] += 1
                    most[0] = max(most[0], inside[0])
                    time.sleep(0)
                    inside[0] -= 1

            join(start(body, body, body))
            return most[0]

        assert outcomes(main) == {1, 2}

    def test_a_look_at_its_value_races_with_acquire(self) -> None:
        def main() -> int:
            semaphore = threading.Semaphore(1)
            threads = start(semaphore.acquire)
            seen = semaphore._value
            join(threads)
            return seen

        assert outcomes(main) == {0, 1}

    def test_release_several(self) -> None:
        def main() -> int:
            semaphore = threading.Semaphore(0)
            threads = start(semaphore.acquire, semaphore.acquire)
            semaphore.release(2)
            join(threads)
            return semaphore._value

        assert outcomes(main) == {0}


class TestBarrierAndTimer:
    def test_barrier(self) -> None:
        def main() -> frozenset[int]:
            barrier, got = threading.Barrier(3), []
            threads = start(*[lambda: got.append(barrier.wait())] * 2)
            got.append(barrier.wait())
            join(threads)
            return frozenset(got)

        for plan in random_plans(50):
            assert run(main, plan).check() == {0, 1, 2}

    def test_barrier_breaks(self) -> None:
        def main() -> tuple[str, bool]:
            barrier, said = threading.Barrier(2), []

            def body() -> None:
                try:
                    barrier.wait(timeout=1)
                except threading.BrokenBarrierError:
                    said.append("broken")

            join(start(body))
            return said[0], barrier.broken

        assert outcomes(main) == {("broken", True)}

    def test_timer_fires_before_or_after_cancel(self) -> None:
        def main() -> int:
            fired = []
            timer = threading.Timer(10, fired.append, (1,))
            timer.start()
            timer.cancel()
            timer.join()
            return len(fired)

        assert outcomes(main) == {0, 1}


class TestThread:
    def test_identity(self) -> None:
        def main() -> tuple[Any, ...]:
            seen: list[Any] = []

            def body() -> None:
                me = threading.current_thread()
                assert me.ident == threading.get_ident() == _thread.get_ident()
                assert me.native_id is not None
                seen.append((me.name, me.ident))

            threads = start(body)
            join(threads)
            main_thread = threading.current_thread()
            assert main_thread is threading.main_thread()
            assert main_thread.ident == threading.get_ident() != threads[0].ident
            return tuple(seen)

        assert outcomes(main) == {(("Thread-1 (body)", 10_001),)}

    def test_errors_are_those_of_threading(self) -> None:
        class Unready(threading.Thread):
            def __init__(self) -> None:
                pass

        def main() -> list[str]:
            thread = threading.Thread(target=int)
            said: list[str] = []

            def attempt(action: Any) -> None:
                try:
                    action()
                except (RuntimeError, ValueError) as error:
                    said.append(str(error))

            attempt(thread.join)
            thread.start()
            attempt(thread.start)
            attempt(lambda: setattr(thread, "daemon", True))
            thread.join()
            thread.join()
            attempt(threading.current_thread().join)
            attempt(Unready().start)
            return said

        assert run(main).check() == [
            "cannot join thread before it is started",
            "threads can only be started once",
            "cannot set daemon status of active thread",
            "cannot join current thread",
            "thread.__init__() not called",
        ]

    def test_is_alive_and_enumerate(self) -> None:
        def main() -> tuple[bool, int]:
            threads = start(lambda: None)
            seen = threads[0].is_alive(), threading.active_count()
            join(threads)
            assert not threads[0].is_alive()
            assert threading.enumerate() == [threading.main_thread()]
            return seen

        assert outcomes(main) == {(True, 2), (True, 1), (False, 1)}

    def test_repr(self) -> None:
        def main() -> tuple[str, ...]:
            thread = threading.Thread(target=int, name="T", daemon=True)
            texts = [repr(thread)]
            thread.start()
            thread.join()
            return (*texts, repr(thread), repr(threading.main_thread()))

        assert run(main).check() == (
            "<Thread(T, initial daemon)>",
            "<Thread(T, stopped daemon 10001)>",
            "<_MainThread(MainThread, started 1)>",
        )

    def test_nested_and_overridden_run(self) -> None:
        seen: list[str] = []

        class Worker(threading.Thread):
            def __init__(self, depth: int) -> None:
                super().__init__(name=f"worker {depth}")
                self.depth = depth

            def run(self) -> None:
                seen.append(threading.current_thread().name)
                if self.depth:
                    inner = Worker(self.depth - 1)
                    inner.start()
                    inner.join()

        def main() -> None:
            worker = Worker(2)
            worker.start()
            worker.join()

        outcome = run(main)
        outcome.check()
        assert seen == ["worker 2", "worker 1", "worker 0"]
        assert [task.name for task in outcome.runtime.tasks] == ["0", "0.1", "0.1.1", "0.1.1.1"]

    def test_the_programs_hook_takes_exceptions(self) -> None:
        told: list[Any] = []

        def main() -> None:
            threading.excepthook = lambda args: told.append((args.exc_type, args.thread.name))
            join(start(lambda: 1 / 0, sys.exit, name="T"))

        before = threading.excepthook
        outcome = run(main)
        assert outcome.errors == []
        assert told == [(ZeroDivisionError, "T"), (SystemExit, "T")]
        assert threading.excepthook is before

    def test_a_hook_may_raise_an_exception_or_pass_it_on(self) -> None:
        def fail(args: threading.ExceptHookArgs) -> None:
            raise KeyError(str(args.exc_type))

        def raise_again(args: threading.ExceptHookArgs) -> None:
            assert args.exc_value is not None
            raise args.exc_value

        def pass_on(args: threading.ExceptHookArgs) -> None:
            assert args.exc_value is not None
            threading.__excepthook__(args)

        def main(hook: Any) -> None:
            threading.excepthook = hook
            join(start(lambda: 1 / 0))

        for hook, kind in {
            fail: KeyError,
            raise_again: ZeroDivisionError,
            pass_on: ZeroDivisionError,
            threading.excepthook: ZeroDivisionError,
        }.items():
            outcome = run(lambda hook=hook: main(hook))  # type: ignore[misc]
            assert [(name, type(error)) for name, error in outcome.errors] == [("0.1", kind)]

    def test_daemons_do_not_keep_a_run_alive(self) -> None:
        def main() -> str:
            start(threading.Lock().acquire, threading.Event().wait, daemon=True)
            return "done"

        assert outcomes(main) == {"done"}

    def test_start_new_thread(self) -> None:
        def main() -> tuple[int, bool]:
            lock, seen = _thread.allocate_lock(), []
            lock.acquire()

            def body(number: int, name: str) -> None:
                thread = threading.current_thread()
                seen.append((number, name, thread.daemon))
                lock.release()
                _thread.exit()

            ident = _thread.start_new_thread(body, (1,), {"name": "x"})
            lock.acquire()
            assert seen == [(1, "x", True)]
            return ident, lock.locked()

        assert outcomes(main) == {(10_001, True)}

    def test_weak_references_to_what_a_thread_used(self) -> None:
        class Thing:
            pass

        def main() -> tuple[bool, bool]:
            things = []
            local = threading.local()

            def body() -> None:
                thing = Thing()
                local.thing = thing
                things.append(weakref.ref(thing))

            thread = threading.Thread(target=body)
            thread.start()
            thread.join()
            dead = things[0]() is None
            gone = weakref.ref(thread)
            del thread
            return dead, gone() is None

        assert outcomes(main) == {(True, True)}


class TestLocal:
    def test_each_thread_has_its_own(self) -> None:
        made = []

        class Local(threading.local):
            def __init__(self, value: int) -> None:
                made.append(threading.current_thread().name)
                self.value = value

        def main() -> tuple[int, ...]:
            local, seen = Local(5), []

            def body() -> None:
                local.value += 1
                local.__dict__["extra"] = True
                seen.append(local.value)

            join(start(body, body))
            assert not hasattr(local, "extra")
            return (*seen, local.value)

        assert outcomes(main) == {(6, 6, 5)}

    def test_main_thread_has_what_was_there_before_the_run(self) -> None:
        local = threading.local()
        local.x = 1

        def main() -> tuple[int, bool]:
            seen = []
            join(start(lambda: seen.append(hasattr(local, "x"))))
            local.x += 1
            return local.x, seen[0]

        assert outcomes(main) == {(2, False)}
        assert run(main).check() == (2, False)
        assert local.x == 1

    def test_errors(self) -> None:
        with pytest.raises(TypeError, match="Initialization arguments are not supported"):
            threading.local(1)
        with pytest.raises(AttributeError, match=r"'_thread\._local' object attribute '__dict__' is read-only"):
            threading.local().__dict__ = {}


class TestQueues:
    @pytest.mark.parametrize("kind", ["Queue", "LifoQueue", "PriorityQueue", "SimpleQueue"])
    def test_items_arrive_once(self, kind: str) -> None:
        def main() -> tuple[int, ...]:
            channel, got = getattr(queue, kind)(), []
            threads = start(lambda: [channel.put(i) for i in (1, 2)], lambda: got.append(channel.get()))
            got.append(channel.get())
            join(threads)
            return tuple(sorted(got))

        for plan in random_plans(40):
            assert run(main, plan).check() == (1, 2)

    def test_bounded_queue_and_join(self) -> None:
        def main() -> int:
            channel: queue.Queue[int] = queue.Queue(1)
            done = []

            def work() -> None:
                while True:
                    done.append(channel.get())
                    channel.task_done()

            start(work, daemon=True)
            for i in range(3):
                channel.put(i)
            channel.join()
            return len(done)

        for plan in random_plans(40):
            assert run(main, plan).check() == 3

    def test_a_look_inside_without_the_lock_races_with_put(self) -> None:
        def main() -> tuple[int, int]:
            channel: queue.Queue[int] = queue.Queue()
            threads = start(lambda: channel.put(1))
            seen = channel.unfinished_tasks, len(channel.queue)
            join(threads)
            return seen

        assert outcomes(main) == {(0, 0), (0, 1), (1, 1)}

    def test_a_queue_may_be_made_beside_other_threads(self) -> None:
        def use() -> None:
            channel: queue.Queue[int] = queue.LifoQueue()
            channel.put(1)
            channel.get()

        done = run(lambda: join(start(use, use)))
        done.check()
        assert not [each for each in done.runtime.untracked if "Queue" in each]

    def test_simple_queue_messages(self) -> None:
        def main() -> str:
            channel: queue.SimpleQueue[int] = queue.SimpleQueue()
            with pytest.raises(queue.Empty):
                channel.get(timeout=2)
            with pytest.raises(queue.Empty):
                channel.get_nowait()
            with pytest.raises(ValueError, match="'timeout' must be a non-negative number") as caught:
                channel.get(timeout=-1)
            return str(caught.value)

        run(main).check()

    def test_a_queue_made_before_the_run(self) -> None:
        channel: queue.Queue[int] = queue.Queue()
        simple: queue.SimpleQueue[int] = queue.SimpleQueue()
        simple.put(7)

        def main() -> tuple[int, int]:
            join(start(lambda: simple.put(8)))
            channel.put(1)
            return channel.qsize(), simple.get()

        assert run(main).check() == (1, 7)
        assert simple.qsize() == 1


class TestPool:
    def test_map_results_and_shutdown(self) -> None:
        def main() -> tuple[int, ...]:
            with ThreadPoolExecutor(2) as pool:
                return tuple(pool.map(lambda x: x * x, range(4)))

        for plan in random_plans(30):
            assert run(main, plan).check() == (0, 1, 4, 9)

    def test_workers_of_a_pool_left_open_end_with_the_main_thread(self) -> None:
        def main() -> int:
            pool = ThreadPoolExecutor(2)
            futures = [pool.submit(pow, 2, n) for n in range(3)]
            assert {future.result() for future in as_completed(futures)} == {1, 2, 4}
            return len(wait(futures).done)

        for plan in random_plans(30):
            outcome = run(main, plan)
            assert outcome.check() == 3
            assert all(task.done for task in outcome.runtime.tasks)

    def test_names_are_the_same_in_every_run(self) -> None:
        def main() -> str:
            with ThreadPoolExecutor(1) as pool:
                return pool.submit(lambda: threading.current_thread().name).result()

        assert {run(main).check() for _ in range(3)} == {"ThreadPoolExecutor-0_0"}


class TestClock:
    def test_time_is_virtual(self) -> None:
        def main() -> tuple[float, ...]:
            before = time.time(), time.monotonic(), time.perf_counter()
            time.sleep(3600)
            after = time.time(), time.monotonic(), time.perf_counter()
            assert time.gmtime().tm_year == 2023
            return tuple(round(b - a, 2) for a, b in zip(before, after, strict=True))

        started = time.perf_counter()
        assert run(main).check() == (3600, 3600, 3600)
        assert time.perf_counter() - started < 5

    def test_a_timeout_ends_before_a_longer_sleep(self) -> None:
        def main() -> str:
            event, order = threading.Event(), []

            def body() -> None:
                event.wait(1)
                order.append("timeout")

            threads = start(body)
            time.sleep(5)
            order.append("sleep")
            join(threads)
            return " ".join(order)

        assert run(main).check() == "timeout sleep"

    def test_errors(self) -> None:
        def main() -> None:
            with pytest.raises(ValueError, match="sleep length must be non-negative"):
                time.sleep(-1)
            with pytest.raises(TypeError, match="'str' object cannot be interpreted as an integer"):
                time.sleep("1")  # type: ignore[arg-type]

        run(main).check()


class TestStates:
    def test_what_was_made_before_a_run_starts_every_run_alike(self) -> None:
        lock, held, event = threading.Lock(), threading.Lock(), threading.Event()
        held.acquire()
        semaphore, condition = threading.Semaphore(1), threading.Condition()
        thread = threading.Thread(target=event.set)

        def main() -> tuple[bool, ...]:
            seen = lock.locked(), held.locked(), event.is_set(), semaphore.acquire(False), thread.is_alive()
            thread.start()
            thread.join()
            lock.acquire()
            held.release()
            with condition:
                condition.wait(0.1)
            return seen

        expected = (False, True, False, True, False)
        assert [run(main).check() for _ in range(3)] == [expected] * 3
        assert held.locked()
        assert not lock.locked()
        assert not event.is_set()
        assert semaphore.acquire(False)
        held.release()

    def test_real_threads_still_work_outside_a_run(self) -> None:
        channel: queue.Queue[int] = queue.Queue()
        event = threading.Event()
        thread = threading.Thread(target=lambda: (channel.put(1), event.set()))
        thread.start()
        assert channel.get(timeout=30) == 1
        assert event.wait(30)
        thread.join(30)
        assert not thread.is_alive()

    def test_waiting_for_ever_outside_a_run_is_an_error(self) -> None:
        lock = threading.Lock()
        lock.acquire()
        if _thread._count() == 0:
            with pytest.raises(RuntimeError, match="outside a run"):
                lock.acquire()
        lock.release()

    def test_names_of_targets_are_those_of_other_runs(self) -> None:
        outside = threading.Lock()

        def main() -> None:
            inside = threading.Lock()

            def body() -> None:
                with outside, inside:
                    threading.Event().set()

            join(start(body, body))

        logs = {tuple(step[:4] for step in run(main).runtime.log) for _ in range(3)}
        assert len(logs) == 1
