"""The same small program as Python source text that uses ``threading``, so that a real front end can run the very same.

The module defines ``program()``, which runs everything from a fresh state and returns the result of
:meth:`tests.oracle.machine.Machine.final` for a run that got to its end: the shared variables' final values, every
thread's locals, and the failed assertions. Shared variables are attributes of one object, or in another holder of
values (:class:`Holder`); array elements are items of dictionaries on it. A thread stores its locals when it is done,
whether it ends well, dies of a failed assertion, or is ended where it is stuck; they and the failed assertions are in
the module's ``last``.
"""

from __future__ import annotations

from enum import Enum
from typing import Any

from tests.oracle.language import (
    Assert,
    Break,
    Down,
    Fence,
    Fork,
    If,
    Join,
    Lock,
    Notify,
    Read,
    Set,
    SmallProgram,
    TryDown,
    TryLock,
    Unlock,
    Up,
    Update,
    Variable,
    Wait,
    While,
    Write,
)

_HEAD = '''"""Generated from a small program of the test oracle."""

import threading

import mazurka


class Shared:
    """Holds what the threads share."""


def program():
    global last
    shared = Shared()
    outcome = {}
    failed = {}
    last = (outcome, failed)
'''


class Holder(Enum):
    """The holder of the shared variables."""

    ATTRIBUTES = "shared.{0}"
    SLOTS = "slotted.{0}"
    OVER_CLASS = "over.{0}"
    ELEMENTS = "cells[{1}]"
    VALUES = "table[{0!r}]"
    CLOSURE = "c_{0}"
    GLOBALS = "g_{0}"


_OBJECTS = {
    Holder.SLOTS: "slotted = type('Slotted', (), {{'__slots__': {0!r}}})()",
    Holder.OVER_CLASS: "over = type('Over', (), dict.fromkeys({0!r}, 0))()",
    Holder.ELEMENTS: "cells = [0] * len({0!r})",
    Holder.VALUES: "table = dict.fromkeys({0!r}, 0)",
}

#: The declaration that a function needs before it binds a variable.
_DECLARED = {Holder.CLOSURE: "nonlocal", Holder.GLOBALS: "global"}


def to_python(program: SmallProgram, holder: Holder = Holder.ATTRIBUTES) -> str:
    """Source text of a module with a function ``program``."""
    writer = _Writer(program, holder)
    writer.set_up()
    for number, body in enumerate(program.threads, 1):
        writer.thread(number, body)
    writer.main()
    return _HEAD + "\n".join(writer.lines) + "\n"


class _Writer:
    def __init__(self, program: SmallProgram, holder: Holder) -> None:
        self.program = program
        self.holder = holder
        self.scalars = sorted(names_of(program).scalars)
        self.lines: list[str] = []
        self.atomics = names_of(program).atomics

    def add(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def set_up(self) -> None:
        program = self.program
        found = names_of(program)
        if self.holder is Holder.GLOBALS:
            self.declare(1)
        elif self.holder in _OBJECTS:
            self.add(1, _OBJECTS[self.holder].format(tuple(self.scalars)))
        for name in self.scalars:
            value = repr(program.initial.get(name, 0))
            if self.holder is not Holder.OVER_CLASS or name in self.atomics or value != "0":
                self.add(1, f"{self.place(name)} = {f'mazurka.atomic({value})' if name in self.atomics else value}")
        for name in sorted(found.arrays):
            cells = {k[len(name) + 1 : -1]: v for k, v in program.initial.items() if k.startswith(f"{name}[")}
            filled = ", ".join(f"{index}: {value!r}" for index, value in cells.items())
            self.add(1, f"shared.{name} = dict.fromkeys(range(-1, 64), 0) | {{{filled}}}")
        for lock in sorted(found.locks | set(program.conditions.values())):
            self.add(1, f"lock_{lock} = threading.Lock()")
        for condition, lock in sorted(program.conditions.items()):
            self.add(1, f"condition_{condition} = threading.Condition(lock_{lock})")

        for semaphore, count in sorted(program.semaphores.items()):
            self.add(1, f"semaphore_{semaphore} = threading.Semaphore({count})")

    def thread(self, number: int, body: tuple[Any, ...]) -> None:
        self.add(0, "")
        self.add(1, f"def thread_{number}():")
        self.declare(2)
        self.body(number, body)

    def body(self, number: int, body: tuple[Any, ...]) -> None:
        names = [self.program.code[number].names[i] for i in self.program.code[number].visible]
        for name in names:
            self.add(2, f"{name} = 0")
        self.add(2, "try:")
        self.block(3, body or (None,))
        self.add(2, "except AssertionError as error:")
        self.add(3, f"failed[{number}] = str(error)")
        self.add(2, "finally:")
        self.add(3, f"outcome[{number}] = ({''.join(f'{name}, ' for name in names)})")

    def main(self) -> None:
        program = self.program
        count = len(program.threads)
        self.add(0, "")
        names = ", ".join(f"thread_{i}" for i in range(1, count + 1))
        if program.daemons:
            threads = ", ".join(f"(thread_{i}, {i - 1 in program.daemons})" for i in range(1, count + 1))
            made = f"threading.Thread(target=target, daemon=daemon) for target, daemon in ({threads},)"
        else:
            made = f"threading.Thread(target=target) for target in ({names},)"
        self.add(1, f"threads = [{made}]")
        self.add(0, "")
        self.add(1, "def main():")
        self.declare(2)
        forks = tuple(Fork(i) for i in range(count)) if program.main_forks else ()
        joins = tuple(Join(i) for i in range(count)) if program.main_joins else ()
        self.body(0, (*forks, *program.main, *joins, *program.after))
        self.add(0, "")
        self.add(1, "main()")
        if not program.main_joins:
            return
        self.add(1, "values = {}")
        found = names_of(program)
        for name in self.scalars:
            self.add(1, f"values[{name!r}] = {self.read(name)}")
        for name in sorted(found.arrays):
            self.add(1, f"values.update({{f'{name}[{{i}}]': v for i, v in shared.{name}.items()}})")
        self.add(1, "values = {k: v for k, v in values.items() if v != 0}")
        self.add(1, f"locals_of = tuple(outcome[i] for i in range({count + 1}))")
        self.add(1, f"failures = tuple(failed.get(i, '') for i in range({count + 1}))")
        self.add(1, "return tuple(sorted(values.items())), locals_of, failures")

    def block(self, depth: int, body: tuple[Any, ...]) -> None:
        for statement in body:
            self.statement(depth, statement)

    def declare(self, depth: int) -> None:
        if self.holder in _DECLARED and self.scalars:
            self.add(depth, f"{_DECLARED[self.holder]} {', '.join(map(self.place, self.scalars))}")

    def place(self, variable: Variable) -> str:
        if isinstance(variable, str):
            return self.holder.value.format(variable, self.scalars.index(variable))
        return f"shared.{variable[0]}[{variable[1]}]"

    def read(self, variable: Variable) -> str:
        return f"{self.place(variable)}.load('relaxed')" if variable in self.atomics else self.place(variable)

    def statement(self, depth: int, s: Any) -> None:
        match s:
            case If(test, then, otherwise):
                self.add(depth, f"if {test}:")
                self.block(depth + 1, then or (None,))
                if otherwise:
                    self.add(depth, "else:")
                    self.block(depth + 1, otherwise)
            case While(test, body, bound, before):
                self.loop(depth, test, body, bound, before)
            case Update():
                self.update(depth, s)
            case Read() | Write() | Set() | Assert() | Break() | None:
                self.add(depth, self.local_statement(s))
            case _:
                self.add(depth, self.call(s))

    def local_statement(self, s: Any) -> str:
        match s:
            case None:
                return "pass"
            case Break():
                return "break"
            case Read(local, variable):
                return f"{local} = {self.read(variable)}"
            case Write(variable, value) if variable in self.atomics:
                return f"{self.place(variable)}.store({value}, 'relaxed')"
            case Write(variable, value):
                return f"{self.place(variable)} = {value}"
            case Set(local, value):
                return f"{local} = {value}"
            case Assert(test):
                return f"assert {test}, {test!r}"
        raise TypeError(s)

    def call(self, s: Any) -> str:
        match s:
            case Lock(lock):
                return f"lock_{lock}.acquire()"
            case Unlock(lock):
                return f"lock_{lock}.release()"
            case TryLock(local, lock):
                return f"{local} = int(lock_{lock}.acquire(blocking=False))"
            case Down(semaphore):
                return f"semaphore_{semaphore}.acquire()"
            case Up(semaphore):
                return f"semaphore_{semaphore}.release()"
            case TryDown(local, semaphore):
                return f"{local} = int(semaphore_{semaphore}.acquire(blocking=False))"
            case Wait(condition):
                return f"condition_{condition}.wait()"
            case Notify(condition, everybody):
                return f"condition_{condition}.{'notify_all' if everybody else 'notify'}()"
            case Fence():
                return "mazurka.fence()"
            case Fork(thread):
                return f"threads[{thread}].start()"
            case Join(thread):
                return f"threads[{thread}].join()"
        raise TypeError(s)

    def update(self, depth: int, s: Update) -> None:
        """The value that is stored may only depend on the old one by adding to it."""
        place, old = self.place(s.variable), s.local
        if s.expected is not None:
            self.add(depth, f"{old} = int({place}.compare_exchange({s.expected}, {s.value}))")
        elif s.value.startswith(f"{old} + "):
            self.add(depth, f"{old} = {place}.fetch_add({s.value.removeprefix(f'{old} + ')})")
        else:
            self.add(depth, f"{old} = {place}.exchange({s.value})")

    def loop(self, depth: int, test: str, body: tuple[Any, ...], bound: int, before: tuple[Any, ...]) -> None:
        self.add(depth, f"for _ in range({bound}):" if bound else "while True:")
        self.block(depth + 1, before)
        self.add(depth + 1, f"if not ({test}):")
        self.add(depth + 2, "break")
        self.block(depth + 1, body)


def names_of(program: SmallProgram) -> Names:
    """The shared variables, arrays and locks that a program mentions."""
    return Names(program)


class Names:
    """Which shared variables, arrays and locks a program mentions."""

    def __init__(self, program: SmallProgram) -> None:
        self.scalars = {name for name in program.initial if "[" not in name}
        self.arrays: set[str] = {name.split("[")[0] for name in program.initial if "[" in name}
        self.locks: set[str] = set()
        self.atomics: set[Variable] = set()
        for code in program.code:
            for instruction in code.instructions:
                match instruction:
                    case ("read" | "write", _, name, index):
                        (self.scalars if index is None else self.arrays).add(name)
                    case ("update", _, name, _, _, _):
                        self.scalars.add(name)
                        self.atomics.add(name)
                    case ("lock" | "unlock", lock) | ("try", _, lock):
                        self.locks.add(lock)
