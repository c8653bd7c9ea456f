"""How much faster a search gets with more processes: the same search with one and with several, side by side.

    python benchmarks/jobs.py [--jobs N] [--repeat N] [--executor]

For each strategy it makes a fixed number of executions of the same program with one process and with N, alternately,
and prints the ratio of the times with its spread, and the processor time that the division costs. With --executor the
executions are made by the processes of a `concurrent.futures` executor. On a machine that is otherwise busy only the
processor time means anything; it says so then. Exits with 1 if the speed-up is below 0.85 times the processes although
the cores were free.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import statistics
import sys
import threading
import time
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

#: Executions, so that a search takes some seconds.
SIZES = {"dpor-rf": 12_000, "dfs": 40_000, "random": 40_000, "pct": 40_000}


class Box:
    value = 0


def scenario() -> None:
    """Three threads count to three each, without a lock."""
    box = Box()

    def add() -> None:
        for _ in range(3):
            seen = box.value
            box.value = seen + 1

    threads = [threading.Thread(target=add) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@dataclass(frozen=True)
class Timing:
    seconds: float
    processor: float  # seconds, all processes together


def measure(strategy: str, executions: int, jobs: int, executor: Executor | None) -> Timing:
    from mazurka.api import explore

    before, started = os.times(), time.perf_counter()
    result = explore(scenario, strategy=strategy, max_executions=executions, jobs=jobs, executor=executor, time_limit=0)
    seconds, after = time.perf_counter() - started, os.times()
    assert result.executions == executions, result.report.reason
    return Timing(seconds, sum(after[:4]) - sum(before[:4]))


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--scale", type=float, default=1.0, help="of the numbers of executions")
    parser.add_argument("--executor", action="store_true")
    options = parser.parse_args()
    pool = ProcessPoolExecutor(options.jobs, multiprocessing.get_context("spawn")) if options.executor else None
    slow = False
    for strategy, size in SIZES.items():
        executions = int(size * options.scale)
        ratios, costs, alone, free = [], [], [], True
        for _ in range(options.repeat):
            one, several = measure(strategy, executions, 1, None), measure(strategy, executions, options.jobs, pool)
            ratios.append(one.seconds / several.seconds)
            costs.append(several.processor / one.processor)
            alone.append(one.seconds)
            free = free and one.processor > 0.9 * one.seconds and os.getloadavg()[0] < (os.cpu_count() or 1)
        ratios.sort()
        speed_up = statistics.median(ratios)
        cost = "" if options.executor else f", {statistics.median(costs):.2f} times the processor time"
        busy = "" if free else " (the machine was busy)"
        print(
            f"{strategy:7} {executions:,} executions in {statistics.median(alone):.1f} s; {options.jobs} processes: "
            f"{speed_up:.2f} times faster ({ratios[0]:.2f} to {ratios[-1]:.2f}){cost}{busy}",
            flush=True,
        )
        slow = slow or (free and speed_up < 0.85 * options.jobs)
    if pool is not None:
        pool.shutdown()
    return int(slow)


if __name__ == "__main__":
    import jobs  # the executor's processes import the scenario, so it must not be __main__'s

    sys.exit(jobs.main())
