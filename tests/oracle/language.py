"""Small concurrent programs as data: threads of statements over shared variables, locks and conditions.

A program's threads are compiled to flat instruction lists, so that a state is a tuple of plain values and a search can
copy and compare it. Expressions are Python expressions over the thread's locals (names), kept as text, so that the same
program can be printed as Python source (:mod:`tests.oracle.translate`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

#: A shared variable: its name, or the name of an array and an expression for the index.
Variable = str | tuple[str, str]


@dataclass(frozen=True, slots=True)
class Read:
    local: str
    variable: Variable


@dataclass(frozen=True, slots=True)
class Write:
    variable: Variable
    value: str


@dataclass(frozen=True, slots=True)
class Set:
    local: str
    value: str


@dataclass(frozen=True, slots=True)
class Lock:
    lock: str


@dataclass(frozen=True, slots=True)
class Unlock:
    lock: str


@dataclass(frozen=True, slots=True)
class TryLock:
    local: str
    lock: str


@dataclass(frozen=True, slots=True)
class Wait:
    condition: str


@dataclass(frozen=True, slots=True)
class Notify:
    condition: str
    everybody: bool = False


@dataclass(frozen=True, slots=True)
class Down:
    """Take one of a semaphore, waiting until there is one."""

    semaphore: str


@dataclass(frozen=True, slots=True)
class Up:
    semaphore: str


@dataclass(frozen=True, slots=True)
class TryDown:
    local: str
    semaphore: str


@dataclass(frozen=True, slots=True)
class Fence:
    """Waits until the thread's stores have reached memory."""


@dataclass(frozen=True, slots=True)
class Update:
    """An indivisible read and write: ``local`` gets the old value, the variable ``value``.

    With an ``expected`` value it does so only if the old value is that, and ``local`` says whether it was (1 or 0).
    """

    local: str
    variable: Variable
    value: str
    expected: int | None = None


@dataclass(frozen=True, slots=True)
class Compound:
    """An indivisible step of several accesses: reads, writes, and some of these only if a test of the values read
    holds.

    The first part is a :class:`Read`; tests are :class:`If` statements of such parts.
    """

    parts: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a shared object, which takes effect at once; ``local`` gets its result."""

    local: str
    thing: str
    method: str
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class If:
    test: str
    then: tuple[Any, ...]
    otherwise: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class While:
    """A loop; ``before`` is executed ahead of each test (for reads), at most ``bound`` rounds (0: no bound)."""

    test: str
    body: tuple[Any, ...]
    bound: int = 0
    before: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Break:
    pass


@dataclass(frozen=True, slots=True)
class Assert:
    test: str


@dataclass(frozen=True, slots=True)
class Fork:
    thread: int


@dataclass(frozen=True, slots=True)
class Join:
    thread: int


Statement = (
    Read | Write | Set | Lock | Unlock | TryLock | Wait | Notify | Down | Up | TryDown | Fence | Update
    | Compound | Call | If | While | Break | Assert | Fork | Join
)  # fmt: skip

#: An instruction: its name and operands; expressions are callables over the list of locals.
Instruction = tuple[Any, ...]


@dataclass(frozen=True)
class SmallProgram:
    """``threads[i]`` is started by main as thread ``0.{i+1}``; main forks all, does ``main``, joins all, does
    ``after``.

    ``conditions`` maps a condition to its lock, ``semaphores`` a semaphore to its first count, ``things`` an object to
    its type in the library of specifications, in whose first initial state it begins. Variables start with
    ``initial`` (0 if not named). With ``main_forks`` false, Fork statements start the threads; likewise joins.

    The program may end at any moment at which main and all threads that have been started, but for ``daemons`` (by
    index), have ended. No step comes after that.
    """

    threads: tuple[tuple[Any, ...], ...]
    main: tuple[Any, ...] = ()
    after: tuple[Any, ...] = ()
    initial: dict[str, int] = field(default_factory=dict)
    conditions: dict[str, str] = field(default_factory=dict)
    semaphores: dict[str, int] = field(default_factory=dict)
    things: dict[str, str] = field(default_factory=dict)
    main_forks: bool = True
    main_joins: bool = True
    daemons: frozenset[int] = frozenset()

    @cached_property
    def code(self) -> tuple[Compiled, ...]:
        """Compiled main thread (index 0) and threads."""
        forks = tuple(Fork(i) for i in range(len(self.threads))) if self.main_forks else ()
        joins = tuple(Join(i) for i in range(len(self.threads))) if self.main_joins else ()
        main = (*forks, *self.main, *joins, *self.after)
        return tuple(Compiled(body) for body in (main, *self.threads))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of main and the threads in a real program: each has that of the thread that starts it, and the
        number of its start there. They are fixed where no start depends on a value."""
        starts = {i[1]: (t, n) for t in range(len(self.code)) for n, i in enumerate(self._starts(t), 1)}

        def name(t: int) -> str:
            if t not in starts:
                return "0" if t == 0 else ""
            starter, number = starts[t]
            return f"{name(starter)}.{number}"

        return tuple(map(name, range(len(self.code))))

    def _starts(self, t: int) -> list[Instruction]:
        return [i for i in self.code[t].instructions if i[0] == "fork"]

    @cached_property
    def looked_at(self) -> frozenset[str]:
        """Locks whose release can be observed because a thread tries to take them."""
        return frozenset(i[2] for code in self.code for i in code.instructions if i[0] == "try")


class Compiled:
    """One thread's instructions. Locals are numbered; hidden ones count the rounds of bounded loops."""

    def __init__(self, body: tuple[Any, ...]) -> None:
        self.names: list[str] = []
        self.instructions: list[Instruction] = []
        self._breaks: list[list[int]] = []
        self._site = 0
        self._block(body)
        self.instructions.append(("end",))
        self.visible = [i for i, name in enumerate(self.names) if not name.startswith(".")]

    def _local(self, name: str) -> int:
        if name not in self.names:
            self.names.append(name)
        return self.names.index(name)

    def _expression(self, text: str) -> Callable[[list[Any]], Any]:
        source = re.sub(r"[A-Za-z_]\w*", self._name, text)
        made: Callable[[list[Any]], Any] = eval(f"lambda L: {source}")
        return made

    def _name(self, match: re.Match[str]) -> str:
        word = match.group()
        if word in {"and", "or", "not", "min", "max", "if", "else", "is", "None", "True", "False"}:
            return word
        return f"L[{self._local(word)}]"

    def _variable(self, variable: Variable) -> tuple[str, Callable[[list[Any]], Any] | None]:
        if isinstance(variable, str):
            return variable, None
        return variable[0], self._expression(variable[1])

    def _block(self, body: tuple[Any, ...]) -> None:
        for statement in body:
            self._statement(statement)

    def _statement(self, s: Any) -> None:
        emit = self.instructions.append
        match s:
            case Read(local, variable):
                emit(("read", self._local(local), *self._variable(variable)))
            case Write(variable, value):
                emit(("write", self._expression(value), *self._variable(variable)))
            case Set(local, value):
                emit(("set", self._local(local), self._expression(value)))
            case Assert(test):
                emit(("assert", self._expression(test), test))
            case If():
                self._if(s)
            case While():
                self._while(s)
            case Break():
                self._breaks[-1].append(len(self.instructions))
                emit(())
            case _:
                self.instructions.extend(self._synchronising(s))

    def _synchronising(self, s: Any) -> list[Instruction]:
        match s:
            case Lock(lock):
                return [("lock", lock)]
            case Unlock(lock):
                return [("unlock", lock)]
            case TryLock(local, lock):
                return [("try", self._local(local), lock)]
            case Down(semaphore):
                return [("down", semaphore)]
            case Up(semaphore):
                return [("up", semaphore)]
            case TryDown(local, semaphore):
                return [("trydown", self._local(local), semaphore)]
            case Fence():
                return [("fence",)]
            case Update(local, variable, value, expected):
                return [("update", self._local(local), *self._variable(variable), self._expression(value), expected)]
            case Call(local, thing, method, arguments):
                return [("call", self._local(local), thing, method, tuple(map(self._expression, arguments)))]
            case Compound(parts):
                return [("compound", self._parts(parts))]
            case Wait(condition):
                return [("wait", condition), ("wake", condition), ("relock", condition)]
            case Notify(condition, everybody):
                return [("notify", condition, everybody)]
            case Fork(thread):
                return [("fork", thread + 1)]
            case Join(thread):
                return [("join", thread + 1)]
        raise TypeError(s)

    def _parts(self, parts: tuple[Any, ...]) -> tuple[Instruction, ...]:
        compiled: list[Instruction] = []
        for part in parts:
            match part:
                case Read(local, variable):
                    compiled.append(("read", self._local(local), *self._variable(variable)))
                case Write(variable, value):
                    compiled.append(("write", self._expression(value), *self._variable(variable)))
                case If(test, then, otherwise):
                    compiled.append(("if", self._expression(test), self._parts(then), self._parts(otherwise)))
                case _:
                    raise TypeError(part)
        return tuple(compiled)

    def _if(self, s: If) -> None:
        code = self.instructions
        jump = len(code)
        code.append(())
        self._block(s.then)
        end = len(code)
        if s.otherwise:
            code.append(())
        code[jump] = ("unless", self._expression(s.test), len(code))
        self._block(s.otherwise)
        if s.otherwise:
            code[end] = ("jump", len(code))

    def _while(self, s: While) -> None:
        code = self.instructions
        counter = self._local(f".{len(code)}")
        code.append(("zero", counter))
        self._breaks.append([])
        start = len(code)
        if s.bound:
            code.append(())
        self._block(s.before)
        test = len(code)
        code.append(())
        self._block(s.body)
        code.append(("jump", start))
        if s.bound:
            code[start] = ("round", counter, s.bound, len(code))
        code[test] = ("unless", self._expression(s.test), len(code))
        for position in self._breaks.pop():
            code[position] = ("jump", len(code))
