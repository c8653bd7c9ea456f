"""Speed against frontrun 0.7.0, side by side in one run: executions per second, and time for the whole search.

    make bench ARGS=speed
    python benchmarks/compare_frontrun.py --frontrun PATH/TO/ENV/bin/python

In the first form as rows of the table, beside the demands. The interpreter is one that has frontrun installed
(``FRONTRUN_PYTHON`` names it too). Both tools get the same two programs:

- ``racyc(4)``: four threads read a shared number and write it back one higher, without a lock;
- ``locked(5)``: five threads do so under one lock.

The comparisons, each measured inside its own process, start-up and imports left out:

- ``random``: executions per second of our ``random`` against its ``strategy="random"``;
- ``dfs``: executions per second of our ``dfs`` against its only systematic search (``strategy="dpor"``, no preemption
  bound, and no detection of file and socket operations; on ``racyc`` it visits every interleaving as dfs does);
- ``mcr``: seconds until our ``mcr`` has finished the whole search against the seconds of that same systematic search.

The table also has what an execution of a whole program costs with each strategy, beside ``dfs`` (execution_cost.py).

Every repetition runs both sides one after the other. A ratio above 1 is in our favour; it is given as median and range
over the repetitions, and for each side's best repetition.

Only an idle machine gives right figures. frontrun hands over between threads of the operating system,
and where those have to queue for a processor it slows down several times (measured: from 1,100 to 160 executions a
second at a load of 7 on 4 processors) while one process with one thread loses little: the ratios then flatter us. So
the load is printed, with a warning where it exceeds a quarter of the processors.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_SRC = Path(__file__).resolve().parents[1] / "src"
_WORKERS = {
    "racyc(4)": """\
class State:
    def __init__(self):
        self.value = 0


def work(state):
    seen = state.value
    state.value = seen + 1
""",
    "locked(5)": """\
import threading


class State:
    def __init__(self):
        self.value = 0
        self.lock = threading.Lock()


def work(state):
    with state.lock:
        state.value += 1
""",
}
_THREADS = {"racyc(4)": 4, "locked(5)": 5}
_MAIN = """

from threading import Thread

state = State()
threads = [Thread(target=work, args=(state,)) for _ in range({threads})]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""
#: Our strategy, the peer's that it is compared with, and the unit.
_COMPARED = (("random", "random", "executions/s"), ("dfs", "systematic", "executions/s"), ("mcr", "systematic", "s"))
_OUR_RANDOM_EXECUTIONS = 5000
_PEER_RANDOM_EXECUTIONS = 200


@dataclass(frozen=True, slots=True)
class Sample:
    """One measurement: how many executions in how many seconds."""

    executions: int
    seconds: float

    @property
    def rate(self) -> float:
        return self.executions / self.seconds


def main() -> int:
    arguments = _arguments()
    if arguments.as_peer:
        print(json.dumps(_measure_peer()))
        return 0
    if not arguments.frontrun:
        print("compare_frontrun: name an interpreter that has frontrun 0.7.0: --frontrun PYTHON", file=sys.stderr)
        return 2
    _print_load("before")
    with tempfile.TemporaryDirectory() as folder:
        rounds = [_round(Path(folder), arguments.frontrun) for _ in range(arguments.repetitions)]
    _print_ratios(rounds)
    _print_load("after")
    return 0


#: The promises of the project: how many times frontrun's executions per second, and that a whole search ends sooner.
_DEMANDED = {"random": 20.0, "dfs": 20.0, "mcr": 1.0}


def measure(settings: Any) -> Any:
    """See :mod:`benchmarks.row`, which the peer's interpreter can't import."""
    from benchmarks import execution_cost
    from benchmarks.row import Row, middle

    yield from execution_cost.measure(settings)
    if not settings.frontrun:
        yield Row("speed against frontrun 0.7.0", "", "not measured", note="name its interpreter: --frontrun PYTHON")
        return
    with tempfile.TemporaryDirectory() as folder:
        rounds = [_round(Path(folder), settings.frontrun) for _ in range(settings.repetitions)]
    for program in _WORKERS:
        for strategy, peer, unit in _COMPARED:
            mine, theirs, ratios = _ratios(rounds, (program, strategy), (program, peer), unit)
            demanded = _DEMANDED[strategy]
            yield Row(
                f"{program}, {strategy}: {unit}",
                f"{demanded:.0f}x" if demanded > 1 else "sooner",
                *middle(ratios, "x"),
                f"{statistics.median(mine):.4g} against {statistics.median(theirs):.4g}",
                statistics.median(ratios) >= demanded,
            )


def _print_load(when: str) -> None:
    load, processors = os.getloadavg()[0], os.cpu_count() or 1
    busy = when == "before" and load > processors / 4
    print(f"load {when}: {load:.1f} on {processors} processors" + ("  -- TOO BUSY: ratios flatter us" if busy else ""))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Speed against frontrun 0.7.0, side by side.")
    parser.add_argument("--frontrun", default=os.environ.get("FRONTRUN_PYTHON"), metavar="PYTHON")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--as-peer", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


@dataclass(frozen=True, slots=True)
class Round:
    """Both sides once: samples by (program, strategy); the peer's strategies are `random` and `systematic`."""

    ours: dict[tuple[str, str], Sample]
    peer: dict[tuple[str, str], Sample]


def _round(folder: Path, peer_python: str) -> Round:
    peer = {(program, strategy): Sample(*sample) for program, strategy, *sample in _run_peer(peer_python)}
    ours = {
        (program, strategy): _run_ours(folder, program, strategy)
        for program in _WORKERS
        for strategy in ("random", "dfs", "mcr")
    }
    return Round(ours, peer)


def _run_ours(folder: Path, program: str, strategy: str) -> Sample:
    script = folder / f"{program.partition('(')[0]}.py"
    script.write_text(_WORKERS[program] + _MAIN.format(threads=_THREADS[program]))
    command = [sys.executable, "-m", "mazurka", "check", str(script), "--strategy", strategy, "--format", "json"]
    command += ["--fresh", "--no-save"]  # a finished search would otherwise be answered from its saved result
    if strategy == "random":
        command += ["--max-executions", str(_OUR_RANDOM_EXECUTIONS)]
    environment = {**os.environ, "PYTHONPATH": str(_SRC)}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} ended with status {done.returncode}:\n{done.stdout}\n{done.stderr}")
    report = json.loads(done.stdout)
    if strategy != "random" and not report["complete"]:
        raise SystemExit(f"{strategy} did not finish {program}: {report['reason']}")
    return Sample(report["executions"], report["seconds"])


def _run_peer(python: str) -> Any:
    """Its own launcher has to start the interpreter; it lies beside it."""
    launcher = str(Path(python).with_name("frontrun"))
    command = [launcher, python, str(Path(__file__).resolve()), "--as-peer"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} ended with status {done.returncode}:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def _measure_peer() -> list[tuple[str, str, int, float]]:
    """Runs inside the peer's interpreter, where this project is not importable."""
    samples: list[tuple[str, str, int, float]] = []
    with tempfile.TemporaryDirectory() as folder:
        sys.path.insert(0, folder)
        for program, source in _WORKERS.items():
            name = program.partition("(")[0]
            Path(folder, f"{name}.py").write_text(source)
            samples += [
                (program, strategy, *_explore_with_peer(name, _THREADS[program], strategy))
                for strategy in ("random", "systematic")
            ]
    return samples


def _explore_with_peer(name: str, threads: int, strategy: str) -> tuple[int, float]:
    import importlib

    explore = importlib.import_module("frontrun").explore
    module = importlib.import_module(name)
    how: dict[str, Any] = {"strategy": "random", "max_attempts": _PEER_RANDOM_EXECUTIONS, "seed": 1}
    if strategy == "systematic":
        how = {"strategy": "dpor", "preemption_bound": None, "stop_on_first": False, "detect_io": False}
    begun = time.perf_counter()
    result = explore(module.State, [module.work] * threads, lambda _: True, **how)
    seconds = time.perf_counter() - begun
    if not result.property_holds:
        raise SystemExit(f"frontrun did not finish {name} with {strategy}: {result}")
    return result.num_explored, seconds


def _print_ratios(rounds: list[Round]) -> None:
    title = f"{'program':10} {'compared':26} {'ours':>16} {'frontrun':>16} {'ratio':>7}  {'best':>6}"
    print(f"{title}  range of {len(rounds)}")
    for program in _WORKERS:
        for strategy, peer, unit in _COMPARED:
            _print_row(rounds, (program, strategy), (program, peer), unit)


def _print_row(rounds: list[Round], ours: tuple[str, str], peer: tuple[str, str], unit: str) -> None:
    mine, theirs, ratios = _ratios(rounds, ours, peer, unit)
    best = min(theirs) / min(mine) if unit == "s" else max(mine) / max(theirs)
    counts = f"{rounds[0].ours[ours].executions} / {rounds[0].peer[peer].executions} executions"
    compared = f"{ours[1]}, {unit}"
    print(
        f"{ours[0]:10} {compared:26} {statistics.median(mine):16.4g} {statistics.median(theirs):16.4g} "
        f"{statistics.median(ratios):6.1f}x {best:6.1f}x  {ratios[0]:.1f}x to {ratios[-1]:.1f}x   ({counts})"
    )


def _ratios(
    rounds: list[Round], ours: tuple[str, str], peer: tuple[str, str], unit: str
) -> tuple[list[float], list[float], list[float]]:
    """Both sides, round by round, and how many times better ours is: fewer seconds, or more executions in one."""
    mine = [_measured(one.ours[ours], unit) for one in rounds]
    theirs = [_measured(one.peer[peer], unit) for one in rounds]
    ratios = [b / a if unit == "s" else a / b for a, b in zip(mine, theirs, strict=True)]
    return mine, theirs, sorted(ratios)


def _measured(sample: Sample, unit: str) -> float:
    return sample.seconds if unit == "s" else sample.rate


if __name__ == "__main__":
    sys.exit(main())
