"""A build tool: targets depend on each other, workers build those whose dependencies are built, a cache keeps results.

The plan is read from lines like ``app: lib main``. A target is handed to the workers when the last of its dependencies
was built; a worker takes its recipe, or what the cache kept under the key of its inputs. Failed targets fail all that
depend on them. A console collects the lines of all workers, a summary counts what was done.

Seeded (double processing): a worker that has built a dependency counts down under the lock of the plan, and looks
afterwards whether any is missing: two workers that built the last two may both see none, and the target is built twice.
Repaired: the lock covers both.
"""

import hashlib
import queue
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import Enum

REPAIRED = "repaired" in sys.argv

Recipe = Callable[[list[str]], str]


class BadPlan(Exception):
    """The plan has a circle, or names what is not there."""


class Failed(Exception):
    """A recipe didn't work."""


class State(Enum):
    WAITING = "waiting"
    READY = "ready"
    BUILT = "built"
    FAILED = "failed"


@dataclass
class Target:
    """What is to be built; ``missing`` dependencies are not built yet."""

    name: str
    needs: list[str]
    missing: int = 0
    state: State = State.WAITING
    result: str = ""


class Plan:
    """Targets by name, and who depends on whom."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.lock = threading.Lock()
        self.targets: dict[str, Target] = {}
        self.dependents: dict[str, list[str]] = {}
        for line in lines:
            name, _, needs = line.partition(":")
            self.add(Target(name.strip(), needs.split()))
        self.check()

    def add(self, target: Target) -> None:
        target.missing = len(target.needs)
        self.targets[target.name] = target
        for need in target.needs:
            self.dependents.setdefault(need, []).append(target.name)

    def check(self) -> None:
        done: set[str] = set()
        while len(done) < len(self.targets):
            free = [
                target.name for target in self.targets.values() if target.name not in done and done >= {*target.needs}
            ]
            if not free:
                raise BadPlan(sorted(set(self.targets) - done))
            done.update(free)

    def ready(self) -> list[Target]:
        """The targets that need nothing."""
        return [target for target in self.targets.values() if not target.needs]

    def built(self, target: Target, result: str) -> list[Target]:
        """Enter a result; the targets that nothing is missing for any more."""
        with self.lock:
            target.state, target.result = State.BUILT, result
        return [
            each for each in map(self.targets.__getitem__, self.dependents.get(target.name, ())) if self.one_less(each)
        ]

    def one_less(self, target: Target) -> bool:
        with self.lock:
            target.missing -= 1
            if REPAIRED:
                return target.missing == 0
        return target.missing == 0

    def failed(self, target: Target) -> list[Target]:
        """The target and all that depend on it can't be built; those that are new among them."""
        lost: list[Target] = []
        with self.lock:
            names = [target.name]
            while names:
                each = self.targets[names.pop()]
                if each.state is not State.FAILED:
                    each.state = State.FAILED
                    lost.append(each)
                    names.extend(self.dependents.get(each.name, ()))
        return lost

    def inputs(self, target: Target) -> list[str]:
        with self.lock:
            return [self.targets[need].result for need in target.needs]


class Cache:
    """The last results by the key of their inputs."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.lock = threading.Lock()
        self.results: OrderedDict[str, str] = OrderedDict()
        self.hits = 0

    @staticmethod
    def key(name: str, inputs: list[str]) -> str:
        return hashlib.sha256("\0".join([name, *inputs]).encode()).hexdigest()

    def get(self, key: str) -> str | None:
        with self.lock:
            result = self.results.get(key)
            if result is not None:
                self.results.move_to_end(key)
                self.hits += 1
            return result

    def put(self, key: str, result: str) -> None:
        with self.lock:
            self.results[key] = result
            self.results.move_to_end(key)
            if len(self.results) > self.size:
                self.results.popitem(last=False)


@dataclass
class Console:
    """Lines of all workers."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    lines: list[str] = field(default_factory=list)

    def say(self, line: str) -> None:
        with self.lock:
            self.lines.append(line)


class Summary:
    """How many targets are left, and what became of the others."""

    def __init__(self, targets: int) -> None:
        self.lock = threading.Lock()
        self.left = targets
        self.counts = dict.fromkeys(("built", "cached", "failed"), 0)

    def count(self, what: str, number: int = 1) -> bool:
        """Whether that was all."""
        with self.lock:
            self.counts[what] += number
            self.left -= number
            return self.left == 0


class Builder:
    """Workers on a queue of targets that are ready."""

    def __init__(self, plan: Plan, recipes: dict[str, Recipe], cache: Cache, workers: int = 2) -> None:
        self.plan = plan
        self.recipes = recipes
        self.cache = cache
        self.console = Console()
        self.summary = Summary(len(plan.targets))
        self.ready: queue.Queue[Target | None] = queue.Queue()
        self.workers = [threading.Thread(target=self.work, name=f"worker {number}") for number in range(workers)]

    def run(self) -> dict[str, int]:
        for target in self.plan.ready():
            self.ready.put(target)
        for worker in self.workers:
            worker.start()
        for worker in self.workers:
            worker.join()
        return self.summary.counts

    def work(self) -> None:
        while (target := self.ready.get()) is not None:
            try:
                is_last = self.build(target)
            except Failed as error:
                is_last = self.give_up(target, error)
            if is_last:
                for _ in self.workers:
                    self.ready.put(None)

    def build(self, target: Target) -> bool:
        inputs = self.plan.inputs(target)
        key = self.cache.key(target.name, inputs)
        result = self.cache.get(key)
        how = "built" if result is None else "cached"
        if result is None:
            result = self.recipes[target.name](inputs)
            self.cache.put(key, result)
        self.console.say(f"{target.name} {how}")
        for each in self.plan.built(target, result):
            self.ready.put(each)
        return self.summary.count(how)

    def give_up(self, target: Target, error: Failed) -> bool:
        self.console.say(f"{target.name} failed: {error}")
        return self.summary.count("failed", len(self.plan.failed(target)))


def compile_unit(inputs: list[str]) -> str:
    return f"object of ({' '.join(inputs)})"


def link(inputs: list[str]) -> str:
    if any(not part.startswith("object") for part in inputs):
        raise Failed("not an object")
    return " + ".join(inputs)


def source(text: str) -> Recipe:
    return lambda _: text


def main() -> None:
    plan = Plan(["main.c:", "lib.c:", "lib: lib.c", "main: main.c", "app: main lib", "tests: app lib.c"])
    recipes = {
        "main.c": source("int main;"),
        "lib.c": source("int lib;"),
        "lib": compile_unit,
        "main": compile_unit,
        "app": link,
        "tests": link,
    }
    builder = Builder(plan, recipes, Cache(size=4))
    counts = builder.run()
    assert plan.targets["app"].result == "object of (int main;) + object of (int lib;)"
    assert plan.targets["tests"].state is State.FAILED
    assert sorted(line.partition(" ")[0] for line in builder.console.lines) == sorted(plan.targets), (
        builder.console.lines
    )
    assert counts == {"built": 5, "cached": 0, "failed": 1}, counts


if __name__ == "__main__":
    main()
