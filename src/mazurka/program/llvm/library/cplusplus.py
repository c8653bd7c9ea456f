"""The run-time library of C++: ``new`` and ``delete``, static variables of functions, and exceptions.

Source: the Itanium C++ ABI, 2.9 (type information) and 3.3, and its exception handling, level II. Exceptions are
unwound in one phase: the destructors between a ``throw`` and the end of the thread run before the program terminates,
which the language leaves open. Conversions of pointers, and to virtual bases, cut the execution where a handler could
catch by them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

from mazurka.program.llvm.faults import ProgramFault, ThreadExit, Thrown
from mazurka.program.llvm.library.composites import begin_once, end_once
from mazurka.program.llvm.library.exits import at_exit
from mazurka.program.llvm.library.memory import allocate, free
from mazurka.program.llvm.library.variables import MULTIPLE, POINTERS, SINGLE

if TYPE_CHECKING:
    from mazurka.program.llvm.machine import Machine

#: The bits of a base class in its offset and flags.
_VIRTUAL: Final = 1
_OFFSET: Final = 8

_BUILT_IN: Final = {
    "i": "int",
    "c": "char",
    "b": "bool",
    "d": "double",
    "f": "float",
    "l": "long",
    "j": "unsigned int",
    "m": "unsigned long",
    "PKc": "const char *",
}


# -- exceptions -------------------------------------------------------------------------------------------------------


def landing(m: Machine, thrown: Thrown | ThreadExit, clauses: tuple[Any, ...], cleans_up: bool) -> tuple[int, int]:
    """``landingpad``: the exception's address, and the number of the type by which it is caught here (0: none). An
    exception that is not caught here, with nothing to clean up, goes on."""
    if isinstance(thrown, ThreadExit):
        return _leaving(m, thrown, clauses, cleans_up)
    for clause in clauses:
        if isinstance(clause, tuple):
            if not any(_caught_at(m, thrown, each) is not None for each in clause):
                return thrown.address, -1 & 0xFFFFFFFF
        elif (place := _caught_at(m, thrown, clause)) is not None:
            thrown.caught_at = place
            return thrown.address, _number(m, clause)
    if not cleans_up:
        raise thrown
    return thrown.address, 0


def _leaving(m: Machine, leaves: ThreadExit, clauses: tuple[Any, ...], cleans_up: bool) -> tuple[int, int]:
    """The thread ends: only ``catch (...)`` handles that."""
    if not leaves.address:
        leaves.address = leaves.caught_at = m.memory.allocate(8, "heap", "the end of the thread", bytes(8)).address
        _on_their_way(m)[leaves.address] = leaves
    if 0 in clauses:
        return leaves.address, _number(m, 0)
    if not cleans_up:
        raise leaves
    return leaves.address, 0


def resumed(m: Machine, address: int) -> Thrown | ThreadExit:
    """``resume``: the exception on its way in the running thread whose object is at an address."""
    found: Thrown | ThreadExit = _on_their_way(m)[address]
    return found


def _on_their_way(m: Machine) -> dict[int, Thrown | ThreadExit]:
    found: dict[int, Thrown | ThreadExit] = m.state.setdefault(("thrown", m.run.current.index), {})
    return found


def uncaught(m: Machine, thrown: Thrown) -> ProgramFault:
    """The failure for an exception that no handler catches."""
    return ProgramFault(
        "uncaught exception", f"an exception of type {_name(m, thrown.type)} is not caught", thrown.site
    )


def _number(m: Machine, type_: int) -> int:
    numbers = m.state.setdefault("types", {})
    return int(numbers.setdefault(type_, len(numbers) + 1))


def _kind(m: Machine, type_: int) -> str:
    """The name of the virtual table of a type's information."""
    return m.name_at(_word(m, type_) - 16)


def _is_pointer(m: Machine, type_: int) -> bool:
    return _kind(m, type_) == POINTERS or m.name_at(type_).startswith("_ZTIP")


def _word(m: Machine, address: int) -> int:
    return int.from_bytes(m.memory.peek(address, 8), "little")


def _caught_at(m: Machine, thrown: Thrown, wanted: int) -> int | None:
    """Where the part of an exception is that a handler of the type ``wanted`` (0: any) catches; None if it does not."""
    is_pointer = _is_pointer(m, thrown.type)
    if wanted in (0, thrown.type):
        return _word(m, thrown.address) if is_pointer and wanted else thrown.address
    if is_pointer and _is_pointer(m, wanted):
        m.run.stop(
            f"the run was cut: a pointer is thrown, and handlers are of other pointers ({m.location(thrown.site)})"
        )
    found = [at for base, at in _bases(m, thrown.type, thrown) if base == wanted]
    return thrown.address + found[0] if len(set(found)) == 1 else None


def _bases(m: Machine, type_: int, thrown: Thrown, at: int = 0) -> Iterator[tuple[int, int]]:
    """The base classes of a class, and their offsets."""
    kind = _kind(m, type_)
    bases: list[tuple[int, int]] = []
    if kind == SINGLE:
        bases = [(_word(m, type_ + 16), 0)]
    elif kind == MULTIPLE:
        count = _word(m, type_ + 16) >> 32
        bases = [(_word(m, type_ + 24 + 16 * each), _word(m, type_ + 32 + 16 * each)) for each in range(count)]
    for base, flags in bases:
        if flags & _VIRTUAL:
            m.run.stop(f"the run was cut: an exception's class has a virtual base ({m.location(thrown.site)})")
        yield base, at + (flags >> _OFFSET)
        yield from _bases(m, base, thrown, at + (flags >> _OFFSET))


def _name(m: Machine, type_: int) -> str:
    """The name of a type; mangled, unless it is a plain one."""
    address = _word(m, type_ + 8)
    text = m.memory.peek(address, 1000).split(b"\0")[0].decode() if address else m.name_at(type_).removeprefix("_ZTI")
    named = re.fullmatch(r"(St)?\d+(\w+)", text)
    return f"{'std::' if named[1] else ''}{named[2]}" if named else _BUILT_IN.get(text, text)


def _allocate(m: Machine, site: int, size: int) -> int:
    address = allocate(m, site, size)
    m.state["references", address] = m.memory.allocate(8, "heap", "references", bytes(8)).address
    return address


def _made(m: Machine, _site: int, address: int, type_: int, destructor: int) -> int:
    """The object of an exception has been made."""
    m.state["exception", address] = (type_, destructor)
    return address


def _count(m: Machine, site: int, address: int, by: int) -> None:
    """Count the references to an exception's object, which ends with the last one."""
    if not address:
        return
    mask = (1 << 64) - 1
    before = m.memory.update(m.state["references", address], 8, lambda old: old + by & mask, site)
    if before + by & mask == 0:
        _, destructor = m.state["exception", address]
        if destructor:
            m.call(destructor, site, address)
        free(m, site, address)


def _throw(m: Machine, site: int, address: int, type_: int, destructor: int) -> None:
    _made(m, site, address, type_, destructor)
    _throw_made(m, site, address)


def _throw_made(m: Machine, site: int, address: int) -> None:
    """Throw an exception whose object has been made."""
    if not address:
        return _terminate(m, site)
    _count(m, site, address, 1)
    type_, destructor = m.state["exception", address]
    thrown = _on_their_way(m)[address] = Thrown(address, type_, destructor, site)
    raise thrown


def _handled(m: Machine) -> list[Thrown | ThreadExit]:
    """The exceptions whose handlers the running thread is in, the innermost last."""
    found: list[Thrown | ThreadExit] = m.state.setdefault(("handled", m.run.current.index), [])
    return found


def _begin_catch(m: Machine, _site: int, address: int) -> int:
    thrown = resumed(m, address)
    thrown.handlers += 1
    thrown.is_rethrown = False
    _handled(m).append(thrown)
    return thrown.caught_at


def _end_catch(m: Machine, site: int) -> None:
    thrown = _handled(m).pop()
    thrown.handlers -= 1
    if not thrown.handlers and not thrown.is_rethrown:
        if isinstance(thrown, ThreadExit):
            raise ProgramFault("abort", "catch (...) ends without throwing again what ends the thread", site)
        _count(m, site, thrown.address, -1)


def _rethrow(m: Machine, site: int) -> None:
    handled = _handled(m)
    if not handled:
        return _terminate(m, site)
    handled[-1].is_rethrown = True
    raise handled[-1]


def _current(m: Machine, site: int) -> int:
    """The object of the exception that is being handled, with a reference more; 0 if there is none."""
    handled = _handled(m)
    if not handled or isinstance(handled[-1], ThreadExit):
        return 0
    _count(m, site, handled[-1].address, 1)
    return handled[-1].address


def _uncaught(m: Machine, _site: int) -> int:
    """The number of exceptions on their way in the running thread."""
    return sum(
        isinstance(each, Thrown) and (not each.handlers or each.is_rethrown) for each in _on_their_way(m).values()
    )


def _terminate(_m: Machine, site: int) -> None:
    raise ProgramFault("abort", "calls std::terminate()", site)


def _pure_virtual(_m: Machine, site: int) -> None:
    raise ProgramFault("invalid call", "calls a pure virtual function", site)


# -- static variables of functions ------------------------------------------------------------------------------------


def _guard_acquire(m: Machine, site: int, guard: int) -> int:
    return int(begin_once(m, site, guard))


def _guard_release(m: Machine, site: int, guard: int) -> None:
    m.memory.atomic_store(guard, 1, 1, site)
    end_once(m, site, guard, done=True)


def _guard_abort(m: Machine, site: int, guard: int) -> None:
    end_once(m, site, guard, done=False)


def _at_thread_exit(m: Machine, _site: int, function: int, argument: int, _handle: int) -> int:
    m.state.setdefault(("thread exit", m.run.current.index), []).append((function, argument))
    return 0


GUARDS: Final[dict[str, Callable[..., Any]]] = {
    "__cxa_guard_acquire": _guard_acquire,
    "__cxa_guard_release": _guard_release,
    "__cxa_guard_abort": _guard_abort,
}

_NEW: Final = ("_Znwm", "_Znam", "_ZnwmSt11align_val_t", "_ZnamSt11align_val_t")
_DELETE: Final = ("_ZdlPv", "_ZdaPv")
_WAYS: Final = ("", "m", "St11align_val_t", "mSt11align_val_t", "RKSt9nothrow_t", "St11align_val_tRKSt9nothrow_t")

FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    **GUARDS,
    **{
        f"{name}{how}": lambda m, site, size, *how: allocate(m, site, size)
        for name in _NEW
        for how in ("", "RKSt9nothrow_t")
    },
    **{f"{name}{how}": lambda m, site, address, *how: free(m, site, address) for name in _DELETE for how in _WAYS},
    "__cxa_atexit": lambda m, site, function, argument, handle: at_exit(m, site, function, argument),
    "__cxa_thread_atexit": _at_thread_exit,
    "__cxa_allocate_exception": _allocate,
    "__cxa_init_primary_exception": _made,
    "__cxa_increment_exception_refcount": lambda m, site, address: _count(m, site, address, 1),
    "__cxa_decrement_exception_refcount": lambda m, site, address: _count(m, site, address, -1),
    "__cxa_current_primary_exception": _current,
    "__cxa_rethrow_primary_exception": _throw_made,
    "__cxa_uncaught_exceptions": _uncaught,
    "__cxa_free_exception": free,
    "__cxa_throw": _throw,
    "__cxa_begin_catch": _begin_catch,
    "__cxa_end_catch": _end_catch,
    "__cxa_rethrow": _rethrow,
    "__cxa_get_exception_ptr": lambda m, site, address: resumed(m, address).caught_at,
    "__cxa_pure_virtual": _pure_virtual,
    "__cxa_deleted_virtual": _pure_virtual,
    "_ZSt9terminatev": _terminate,
    "llvm.eh.typeid.for": lambda m, site, type_: _number(m, type_),
    "llvm.is.constant": lambda m, site, value: 0,
}
