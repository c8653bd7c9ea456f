"""The same small program as C source text that uses pthreads, for the front end of C.

Every local of a thread is a global variable of the C program that no other thread touches, so that its value can be
read out of memory when an execution has ended, however it ended: :func:`local` names it. A failed assertion stores its
number among the thread's, from 1, in :func:`failure`, and ends the thread.

In C the end of a program waits for all threads, if main leaves by ``pthread_exit``, or for none: all are daemons, then.
"""

from __future__ import annotations

import re
from typing import Any

from tests.oracle.language import (
    Assert,
    Break,
    Compound,
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
from tests.oracle.translate import names_of

#: Python's words in expressions, and those of C.
_WORDS = {"True": "1", "False": "0", "and": "&&", "or": "||", "not": "!"}

#: The elements of an array.
_LENGTH = 130

_HEAD = """/* Generated from a small program of the test oracle. */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
"""


def local(thread: int, name: str) -> str:
    """The C variable that is a thread's local."""
    return f"local_{thread}_{name}"


def failure(thread: int) -> str:
    """The C variable that says which assertion of a thread has failed."""
    return f"failed_{thread}"


def shared(name: str) -> str:
    """The C variable that is a shared one."""
    return f"shared_{name}"


def to_c(program: SmallProgram) -> tuple[str, dict[int, list[str]]]:
    """Source text of a C program, and the assertions of each thread in the order of their numbers."""
    writer = _Writer(program)
    writer.write()
    return _HEAD + "\n".join(writer.lines) + "\n", writer.assertions


class _Writer:
    def __init__(self, program: SmallProgram) -> None:
        self.program = program
        self.names = names_of(program)
        self.lines: list[str] = []
        self.assertions: dict[int, list[str]] = {}
        self.thread = 0

    def add(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def write(self) -> None:
        program = self.program
        elements = {name.partition("[")[0] for name in self.names.scalars if "[" in name}
        for name in sorted(name for name in self.names.scalars if "[" not in name):
            kind = "atomic_int" if name in self.names.atomics else "int"
            self.add(0, f"{kind} {shared(name)} = {program.initial.get(name, 0)};")
        for name in sorted(self.names.arrays | elements):
            cells = {k[len(name) + 1 : -1]: v for k, v in program.initial.items() if k.startswith(f"{name}[")}
            filled = ", ".join(f"[{index}] = {value}" for index, value in cells.items())
            self.add(0, f"int {shared(name)}[{_LENGTH}] = {{{filled}}};")
        for name in sorted(self.names.locks | set(program.conditions.values())):
            self.add(0, f"pthread_mutex_t lock_{name} = PTHREAD_MUTEX_INITIALIZER;")
        for name in sorted(program.conditions):
            self.add(0, f"pthread_cond_t condition_{name} = PTHREAD_COND_INITIALIZER;")
        for name in sorted(program.semaphores):
            self.add(0, f"sem_t semaphore_{name};")
        for number in range(len(program.threads) + 1):
            code = program.code[number]
            for at in code.visible:
                self.add(0, f"int {local(number, code.names[at])};")
            self.add(0, f"int {failure(number)};")
        self.add(0, f"pthread_t threads[{len(program.threads)}];")
        for number in range(1, len(program.threads) + 1):
            self.add(0, f"void *thread_{number}(void *);")
        for number, body in enumerate(program.threads, 1):
            self.thread = number
            self.add(0, f"void *thread_{number}(void *unused) {{")
            self.block(1, body)
            self.add(1, "return 0;")
            self.add(0, "}")
        self.main()

    def main(self) -> None:
        program, count = self.program, len(self.program.threads)
        self.thread = 0
        self.add(0, "int main(void) {")
        for name, value in sorted(program.semaphores.items()):
            self.add(1, f"sem_init(&semaphore_{name}, 0, {value});")
        forks = tuple(Fork(number) for number in range(count)) if program.main_forks else ()
        joins = tuple(Join(number) for number in range(count)) if program.main_joins else ()
        self.block(1, (*forks, *program.main, *joins, *program.after))
        self.add(1, self.leave())
        self.add(0, "}")

    def leave(self) -> str:
        """How a thread ends; if main returns, that ends the program."""
        waits = self.thread == 0 and not self.program.main_joins and not self.program.daemons
        return "pthread_exit(0);" if waits else "return 0;"

    def block(self, depth: int, body: tuple[Any, ...]) -> None:
        for statement in body:
            self.statement(depth, statement)

    def expression(self, text: str) -> str:
        return re.sub(r"\b[A-Za-z]\w*\b", lambda match: _WORDS.get(match[0]) or local(self.thread, match[0]), text)

    def place(self, variable: Variable) -> str:
        if isinstance(variable, str):
            return shared(variable)
        return f"{shared(variable[0])}[{self.expression(variable[1])}]"

    def statement(self, depth: int, s: Any) -> None:
        match s:
            case If(test, then, otherwise):
                self.add(depth, f"if ({self.expression(test)}) {{")
                self.block(depth + 1, then)
                self.add(depth, "} else {")
                self.block(depth + 1, otherwise)
                self.add(depth, "}")
            case While(test, body, bound, before):
                self.add(depth, f"for (int round = 0; round < {bound}; round++) {{" if bound else "for (;;) {")
                self.block(depth + 1, before)
                self.add(depth + 1, f"if (!({self.expression(test)})) break;")
                self.block(depth + 1, body)
                self.add(depth, "}")
            case Assert(test):
                known = self.assertions.setdefault(self.thread, [])
                known.append(test)
                self.add(depth, f"if (!({self.expression(test)})) {{")
                self.add(depth + 1, f"{failure(self.thread)} = {len(known)};")
                self.add(depth + 1, "pthread_exit(0);" if self.program.main_joins else self.leave())
                self.add(depth, "}")
            case Compound(parts):
                self.add(depth, "__VERIFIER_atomic_begin();")
                self.block(depth, parts)
                self.add(depth, "__VERIFIER_atomic_end();")
            case _:
                self.add(depth, f"{self.simple(s)};")

    def simple(self, s: Any) -> str:
        match s:
            case Break():
                return "break"
            case Read(name, variable) if variable in self.names.atomics:
                return (
                    f"{local(self.thread, name)} = atomic_load_explicit(&{self.place(variable)}, memory_order_relaxed)"
                )
            case Read(name, variable):
                return f"{local(self.thread, name)} = {self.place(variable)}"
            case Write(variable, value) if variable in self.names.atomics:
                stored = self.expression(value)
                return f"atomic_store_explicit(&{self.place(variable)}, {stored}, memory_order_relaxed)"
            case Write(variable, value):
                return f"{self.place(variable)} = {self.expression(value)}"
            case Set(name, value):
                return f"{local(self.thread, name)} = {self.expression(value)}"
            case Update():
                return self.update(s)
        return self.call(s)

    def update(self, s: Update) -> str:
        place, old = f"&{self.place(s.variable)}", local(self.thread, s.local)
        if s.expected is not None:
            value = self.expression(s.value)
            return f"{{ int e = {s.expected}; {old} = atomic_compare_exchange_strong({place}, &e, {value}); }}"
        if s.value.startswith(f"{s.local} + "):
            return f"{old} = atomic_fetch_add({place}, {self.expression(s.value.removeprefix(f'{s.local} + '))})"
        return f"{old} = atomic_exchange({place}, {self.expression(s.value)})"

    def call(self, s: Any) -> str:
        match s:
            case Lock(lock):
                return f"pthread_mutex_lock(&lock_{lock})"
            case Unlock(lock):
                return f"pthread_mutex_unlock(&lock_{lock})"
            case TryLock(name, lock):
                return f"{local(self.thread, name)} = pthread_mutex_trylock(&lock_{lock}) == 0"
            case Down(semaphore):
                return f"sem_wait(&semaphore_{semaphore})"
            case Up(semaphore):
                return f"sem_post(&semaphore_{semaphore})"
            case TryDown(name, semaphore):
                return f"{local(self.thread, name)} = sem_trywait(&semaphore_{semaphore}) == 0"
            case Wait(condition):
                lock = self.program.conditions[condition]
                return f"pthread_cond_wait(&condition_{condition}, &lock_{lock})"
            case Notify(condition, everybody):
                return f"pthread_cond_{'broadcast' if everybody else 'signal'}(&condition_{condition})"
            case Fork(thread):
                return f"pthread_create(&threads[{thread}], 0, thread_{thread + 1}, 0)"
            case Join(thread):
                return f"pthread_join(threads[{thread}], 0)"
            case Fence():
                return "atomic_thread_fence(memory_order_seq_cst)"
        raise TypeError(s)
