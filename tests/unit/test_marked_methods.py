"""Marked methods: a class is left alone where nothing is recorded, and reports to an observer where something is."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import mazurka
from mazurka import marked_methods
from mazurka.api import explore
from mazurka.marked_methods import MarkedClass


class Observing:
    """Keeps the reported calls."""

    hides_making = True

    def __init__(self) -> None:
        self.seen: list[Any] = []

    def mark(self, marked: MarkedClass) -> None:
        self.seen.append((marked.type_name, marked.class_name))

    def make(self, marked: MarkedClass, thing: object) -> object:
        self.seen.append(("make", type(thing).__name__))
        return "made"

    def made(self, call: object) -> None:
        self.seen.append(call)

    def call(self, marked: MarkedClass, thing: object, method: str, arguments: tuple[Any, ...]) -> object:
        self.seen.append((marked.type_name, method, arguments))
        return len(self.seen)

    def end(self, call: object, result: object) -> None:
        self.seen.append((call, result))

    def leave(self, call: object, error: BaseException) -> None:
        self.seen.append((call, repr(error)))


class Register:
    def __init__(self) -> None:
        self.value = 0

    def write(self, v: int, /, *, twice: bool = False) -> None:
        if v < 0:
            raise ValueError(v)
        self.value = 2 * v if twice else v

    def read(self) -> int:
        return self.value

    def several(self, *values: int) -> None: ...

    async def later(self) -> None: ...


def fresh() -> type[Any]:
    return type("Fresh", (), dict(vars(Register)))


def test_nothing_is_changed_where_nothing_is_recorded() -> None:
    kind = fresh()
    assert mazurka.linearizable("register", "read", "write")(kind) is kind
    assert kind.read is Register.read


def test_an_observer_sees_arguments_results_and_exceptions(monkeypatch: pytest.MonkeyPatch) -> None:
    observing = Observing()
    monkeypatch.setattr(marked_methods, "observer", observing)
    register = mazurka.linearizable("register", "read", "write")(fresh())()
    register.write(2, twice=True)
    assert register.read() == 4
    with pytest.raises(ValueError, match="-1"):
        register.write(-1)
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        register.write()
    assert observing.seen == [
        ("register", "Fresh"),
        ("make", "Fresh"),
        "made",
        ("register", "write", (2, True)),
        (4, None),
        ("register", "read", ()),
        (6, 4),
        ("register", "write", (-1, False)),
        (8, "ValueError(-1)"),
    ]


@pytest.mark.parametrize(
    ("name", "method", "why"),
    [
        ("", "read", "no name of a type"),
        ("a register", "read", "no name of a type"),
        ("register", "red", "no plain method"),
        ("register", "later", "no plain method"),
        ("register", "several", "any number of arguments"),
    ],
)
def test_what_can_not_be_marked(name: str, method: str, why: str) -> None:
    with pytest.raises(TypeError, match=why):
        mazurka.linearizable(name, method)(fresh())


@mazurka.linearizable("counter", "inc", "read", state=lambda counter: counter.value)
class Counter:
    """Marked when there was no observer."""

    def __init__(self) -> None:
        self.value = 0
        self.lock = threading.Lock()

    def inc(self) -> None:
        with self.lock:
            self.value += 1

    def read(self) -> int:
        with self.lock:
            return self.value


def _count() -> None:
    counter = Counter()
    threads = [threading.Thread(target=counter.inc) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counter.read() == 4


@pytest.mark.large
def test_a_class_that_was_marked_before_reports_while_a_program_is_checked() -> None:
    method = Counter.inc
    result = explore(_count, strategy="ncmc")
    assert "Counter is linearizable, as counter says" in str(result)
    assert Counter.inc is method
    assert "linearizable" not in str(explore(_count, strategy="se-mcr"))
