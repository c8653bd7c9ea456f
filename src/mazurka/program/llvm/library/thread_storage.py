"""The storage of each thread: thread-local variables, ``errno``, and thread-specific data (``pthread_key_create``).

Source: POSIX.1-2017; C17, 6.2.4; glibc. The variables end with their thread. When a thread ends, the value of one key
after another becomes null and is given to the key's destructor, which still sees the values of later keys; this begins
again while destructors set values, a few times at most. In programs that delete keys each use of one is a step, and the
use of one that has been deleted is a fault.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from mazurka.program.llvm.faults import ProgramFault
from mazurka.program.llvm.memory_objects import SHIFT, THREAD, MemoryObject
from mazurka.program.runtime.task import Task
from mazurka.trace.event import Op
from mazurka.trace.targets import OBJECT

if TYPE_CHECKING:
    from mazurka.program.llvm.machine import Machine

_EAGAIN, _EINVAL = 11, 22

#: PTHREAD_KEYS_MAX. Keys that are deleted do not count; their numbers are not used again.
_MOST_KEYS: Final = 1024

#: Shared by threads that make keys.
_KEYS: Final = (OBJECT, "the keys of thread-specific data")

#: Functions by which programs delete keys.
_DELETING: Final = ("pthread_key_delete", "tss_delete")

#: Destructors of thread-specific data may set values anew, at most so often.
_ROUNDS: Final = 4

_DELETED: Final = -1


def set_errno(m: Machine, error: int) -> None:
    """Set the running thread's ``errno``."""
    address = errno_place(m, 0)
    thing = m.memory.objects[address >> SHIFT]
    thing.data[:] = error.to_bytes(4, "little")


def errno_place(m: Machine, _site: int) -> int:
    """``__errno_location``."""
    return place_of_thread(m, "errno", lambda: ("errno", 4, bytes(4)))


def thread_local_place(m: Machine, _site: int, address: int) -> int:
    """``llvm.threadlocal.address``: the running thread's copy of a variable, made when it first uses it."""

    def first() -> tuple[str, int, bytes]:
        thing = m.memory.objects[address >> SHIFT]
        return thing.name, thing.size, bytes(thing.data)

    return place_of_thread(m, address, first)


def place_of_thread(m: Machine, variable: Any, first: Callable[[], tuple[str, int, bytes]]) -> int:
    """The address of the running thread's copy of a variable; ``first`` gives its name, size and first value."""
    own: dict[Any, MemoryObject] = m.state.setdefault(("storage", m.run.current.index), {})
    if variable not in own:
        name, size, content = first()
        own[variable] = m.memory.allocate(size, THREAD, name, content)
    return own[variable].address


def end_storage(m: Machine, task: Task) -> None:
    """The thread-local variables of a thread end."""
    for thing in m.state.pop(("storage", task.index), {}).values():
        m.memory.end(thing, 0)


# -- thread-specific data ----------------------------------------------------------------------------------------------


def call_destructors(m: Machine, task: Task) -> None:
    """A thread ends: give its thread-specific data to their destructors."""
    for _ in range(_ROUNDS):
        if not any(_values(m, task).values()):
            return
        for key in range(len(_keys(m))):
            value = _values(m, task).pop(key, 0)
            if value and (destructor := _destructor(m, 0, key)) > 0:
                m.call(destructor, 0, value)


def _keys(m: Machine) -> list[int]:
    """The destructors of the keys, 0 for one without; or ``_DELETED``."""
    found: list[int] = m.state.setdefault("keys", [])
    return found


def _values(m: Machine, task: Task) -> dict[int, int]:
    found: dict[int, int] = m.state.setdefault(("values", task.index), {})
    return found


def _destructor(m: Machine, site: int, key: int, op: Op = Op.READ) -> int:
    """The destructor of a key, after a step if keys are deleted beside other threads."""
    keys = _keys(m)
    if not m.run.solo and any(each in m.module.functions for each in _DELETING):
        target = (OBJECT, f"thread-specific key {key}")
        m.memory.step(op, target, site, lambda: ("int", int(keys[key] == _DELETED)))
    return keys[key]


def _key_create(m: Machine, site: int, place: int, destructor: int) -> int:
    if not m.run.solo:
        m.memory.step(Op.RMW, _KEYS, site, None)  # their numbers are in the order of the calls
    keys = _keys(m)
    if len(keys) - keys.count(_DELETED) >= _MOST_KEYS:
        return _EAGAIN
    m.memory.store(place, 4, len(keys), site)
    keys.append(destructor)
    return 0


def _key_delete(m: Machine, site: int, key: int) -> int:
    if key >= len(_keys(m)) or _destructor(m, site, key, Op.RMW) == _DELETED:
        return _EINVAL
    _keys(m)[key] = _DELETED
    return 0


def _hold_valid(m: Machine, site: int, key: int) -> None:
    if _destructor(m, site, key) == _DELETED:
        raise ProgramFault("misuse of a key", f"uses key {key} of thread-specific data, which has been deleted", site)


def _set_specific(m: Machine, site: int, key: int, value: int) -> int:
    if key >= len(_keys(m)):
        return _EINVAL
    _hold_valid(m, site, key)
    _values(m, m.run.current)[key] = value
    return 0


def _specific(m: Machine, site: int, key: int) -> int:
    if key >= len(_keys(m)):
        return 0
    _hold_valid(m, site, key)
    return _values(m, m.run.current).get(key, 0)


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "__errno_location": errno_place,
    "llvm.threadlocal.address": thread_local_place,
    "pthread_key_create": _key_create,
    "pthread_key_delete": _key_delete,
    "pthread_setspecific": _set_specific,
    "pthread_getspecific": _specific,
}
