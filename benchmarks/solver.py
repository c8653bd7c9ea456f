"""How long the solvers take for the same queries, and the time and memory that `closure` needs for a long trace.

The queries are those that ``mcr`` asks on the programs of benchmarks/programs: all of a search's first executions are
recorded, then every solver gets every query, encoding included. The long trace is drawn at random: shared variables
with few values, locks, nothing that makes it easy.
"""

from __future__ import annotations

import json
import os
import random
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from benchmarks.counts import published
from benchmarks.row import ROOT, SRC, Row, Settings, middle

#: Executions of each search, and queries of each that every solver gets (z3 takes milliseconds for each).
_EXECUTIONS: Final = 200
_QUERIES: Final = 250

_LONG: Final = 50_000
_THREADS: Final = 10


def measure(settings: Settings) -> Iterator[Row]:
    times: dict[str, list[float]] = {}
    wrong = 0
    for name, rows in published()["programs"].items():
        for counts in rows:
            result = _child("queries", str(ROOT / "benchmarks" / "programs" / f"{name}.py"), *counts["arguments"])
            wrong += result.pop("wrong")
            for solver, seconds in result.items():
                times.setdefault(solver, []).extend(seconds)
    yield Row("queries recorded", "", f"{len(times['z3']):,}", note=f"answered differently: {wrong}", holds=not wrong)
    for solver in ("closure", "search", "closure alone"):
        yield from _compared(solver, times[solver], times["z3"])
    yield _against("closure / search", times["closure"], times["search"])
    hard = [i for i, seconds in enumerate(times["search"]) if seconds > 40e-6]
    yield _against(
        f"the same, the {len(hard):,} hardest", [times["closure"][i] for i in hard], [times["search"][i] for i in hard]
    )
    yield from _long()


def _compared(solver: str, own: Sequence[float], z3: Sequence[float]) -> Iterator[Row]:
    ratios = [b / a for a, b in zip(own, z3, strict=True)]
    low, median, high = statistics.quantiles(ratios, n=4)
    demanded = solver == "closure"
    yield Row(
        f"z3 / {solver}, median",
        ">= 100" if demanded else "",
        f"{median:.0f}",
        f"{low:.0f} to {high:.0f} (quartiles)",
        f"{middle([1e6 * seconds for seconds in own], ' us')[0]} against {statistics.median(z3) * 1e3:.2f} ms",
        median >= 100 if demanded else None,
    )
    total = sum(z3) / sum(own)
    slower = sum(a > b for a, b in zip(own, z3, strict=True))
    yield Row(
        f"z3 / {solver}, total",
        "> 1" if demanded else "",
        f"{total:.0f}",
        "",
        f"{slower} queries slower",
        total > 1 if demanded else None,
    )


def _against(figure: str, one: Sequence[float], other: Sequence[float]) -> Row:
    ratios = [a / b for a, b in zip(one, other, strict=True)]
    low, median, high = statistics.quantiles(ratios, n=4)
    return Row(
        figure, "", f"{median:.2f}", f"{low:.2f} to {high:.2f} (quartiles)", f"total {sum(one) / sum(other):.2f}"
    )


def _long() -> Iterator[Row]:
    result = _child("long")
    yield Row(
        f"memory for a trace of {result['events']:,}",
        "< 2,000 MB",
        f"{result['megabytes']:,} MB",
        "",
        f"the model {result['model']:.2f} s, first answer {result['first']:.1f} s",
        result["megabytes"] < 2_000,
    )
    for kind, seconds in result["kinds"].items():
        yield Row(f"  {kind}", "", *middle(seconds, " s"), note=", ".join(result["answers"][kind]))


def _child(*arguments: object) -> Any:
    environment = {**os.environ, "PYTHONPATH": f"{SRC}{os.pathsep}{ROOT}"}
    command = [sys.executable, "-m", "benchmarks.solver", *map(str, arguments)]
    return json.loads(subprocess.run(command, env=environment, capture_output=True, check=True).stdout.splitlines()[-1])


# -- in a process of its own ------------------------------------------------------------------------------------------


def queries(path: str, *arguments: str) -> dict[str, Any]:
    """Seconds by solver for the queries of one search, and how many were not answered alike."""
    from mazurka.causal.closure import ClosureSolver, close
    from mazurka.causal.search import SearchSolver
    from mazurka.causal.z3 import Z3Solver

    z3, closure, search = Z3Solver(), ClosureSolver(), SearchSolver()
    solvers: dict[str, Callable[..., Any]] = {
        "closure": closure.decide,
        "search": search.decide,
        "closure alone": close,
        "z3": z3.decide,
    }
    recorded = _recorded(path, arguments)
    chosen = recorded if len(recorded) <= _QUERIES else random.Random(0).sample(recorded, _QUERIES)
    if chosen:
        z3.decide(*chosen[0])  # imports it
    times: dict[str, Any] = {}
    answers: list[set[type]] = [set() for _ in chosen]
    for chosen_query in chosen:
        search.decide(*chosen_query)  # the first solver would pay for cold caches
    for name, solve in solvers.items():
        times[name] = []
        for (history, query), given in zip(chosen, answers, strict=True):
            begun = time.perf_counter()
            answer = solve(history, query)
            times[name].append(time.perf_counter() - begun)
            given.add(type(answer))
    wrong = sum(len(given) > 1 for given in answers)
    return {**times, "wrong": wrong}


def _recorded(path: str, arguments: Sequence[str]) -> list[Any]:
    from mazurka.causal.search import SearchSolver
    from mazurka.config import Options
    from mazurka.explore.explorer import Budget, Explorer
    from mazurka.workflows.program_spec import open_program, subject_of

    recorded: list[Any] = []
    answer = SearchSolver.decide

    def record(self: SearchSolver, history: Any, query: Any) -> Any:
        recorded.append((history, query))
        return answer(self, history, query)

    options = Options(strategy="mcr")
    program = open_program(subject_of(path, arguments, options), options)
    program.prepare()
    SearchSolver.decide = record  # type: ignore[method-assign]  # the search's own queries, in its order
    try:
        for _ in Explorer(program, "mcr", budget=Budget(_EXECUTIONS, 60.0), stop_at_first=False).progress():
            pass
    finally:
        SearchSolver.decide = answer  # type: ignore[method-assign]
    return recorded


def long() -> dict[str, Any]:
    """The costs of queries about a long trace."""
    from mazurka.causal.closure import Closure
    from mazurka.causal.model_from_trace import model_of_trace
    from mazurka.causal.question import Before, Question
    from mazurka.trace.trace import trace_of

    rng = random.Random(5)
    log = _random_log(rng)
    trace = trace_of([str(t) for t in range(_THREADS)], log)
    begun = time.perf_counter()
    model = model_of_trace(trace)
    modelled = time.perf_counter()
    closure = Closure(model)
    everything = Question(happen=model.last_events())
    closure.decide(everything)
    first = time.perf_counter() - modelled
    kinds: dict[str, list[Question]] = {"everything, in some order": [everything] * 3, "a race": [], "an order": []}
    while len(kinds["an order"]) < 9:
        a = rng.randrange(400, _LONG - 400)
        b = a + rng.randrange(1, 400)
        if log[a].task != log[b].task:
            kinds["a race"].append(Question(next=(a, b)))
            kinds["an order"].append(Question(constraints=(Before(b, a),)))
    seconds: dict[str, list[float]] = {}
    answers: dict[str, list[str]] = {}
    for kind, questions in kinds.items():
        for question in questions:
            asked = time.perf_counter()
            answer = closure.decide(question)
            seconds.setdefault(kind, []).append(time.perf_counter() - asked)
            answers.setdefault(kind, []).append(type(answer).__name__)
        answers[kind] = [f"{answers[kind].count(name)} {name.lower()}" for name in sorted(set(answers[kind]))]
    return {
        "events": len(log),
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "model": modelled - begun,
        "first": first,
        "kinds": seconds,
        "answers": answers,
    }


def _random_log(rng: random.Random) -> list[Any]:
    from mazurka.program.protocol import Step
    from mazurka.trace.event import Op

    log: list[Step] = []
    memory: dict[str, int] = {}
    holder: dict[str, int] = {}
    holds: dict[int, str] = {}
    while len(log) < _LONG:
        thread, variable, lock = rng.randrange(_THREADS), f"x{rng.randrange(2_500)}", f"l{rng.randrange(20)}"
        chance = rng.random()
        if chance < 0.4:
            log.append(Step(thread, Op.READ, (variable,), 0, True, memory.get(variable, 0)))
        elif chance < 0.6:
            memory[variable] = rng.randrange(3)
            log.append(Step(thread, Op.WRITE, (variable,), 0, True, memory[variable]))
        elif thread in holds:
            lock = holds.pop(thread)
            del holder[lock]
            log.append(Step(thread, Op.RELEASE, (lock,), 0, True))
        elif chance < 0.8 and lock not in holder:
            holder[lock], holds[thread] = thread, lock
            log.append(Step(thread, Op.ACQUIRE, (lock,), 0, True))
    return log


if __name__ == "__main__":
    print(json.dumps({"queries": queries, "long": long}[sys.argv[1]](*sys.argv[2:])))
