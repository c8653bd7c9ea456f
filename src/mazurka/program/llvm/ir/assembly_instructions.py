"""The instructions of x86-64 that inline assembly may have, each by what it does to registers, flags and memory.

Source: Intel's manual, volume 2, and 9.2 of volume 3 (memory ordering). An instruction with ``lock``, and an ``xchg``
of memory, is one step and a full fence. Others that read and write memory do so in two steps. Operands are in the order
of AT&T: the target is the last one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from mazurka.program.llvm.ir.assembly_state import Argument, AssemblyState, Memory, Number, Register, number
from mazurka.program.llvm.ir.module import Operand
from mazurka.program.llvm.ir.tokens import Unsupported
from mazurka.program.llvm.ir.types import POINTER, VOID, Int

#: Does an instruction: with the state, the bits of its operands, whether it is locked, and the operands.
Done = Callable[..., None]

#: What the flags are set by, by operations; see :meth:`AssemblyState.set_flags`.
_FLAGS_OF: Final = {"add": "add", "sub": "sub", "and": "logic", "or": "logic", "xor": "logic"}

_UNCHANGED_BY_0: Final = ("add", "sub", "or", "xor")


def _updated(
    state: AssemblyState, how: str, target: Argument, value: Operand, *, locked: bool
) -> tuple[Operand, Operand]:
    """Change a target by an operation; gives its values before and after."""
    bits = value.type
    assert isinstance(bits, Int)
    if locked:
        assert isinstance(target, Memory)
        before = state.update(how, target, value)
        return before, state.emit(how, bits, before, value)
    before = state.read(target, bits.bits)
    after = state.emit(how, bits, before, value)
    state.write(target, after)
    return before, after


def _binary(how: str, state: AssemblyState, bits: int, locked: bool, source: Argument, target: Argument) -> None:
    if locked and isinstance(target, Memory) and isinstance(target.address, Register) and target.address.key == "sp":
        if not (isinstance(source, Number) and source.value == 0 and how in _UNCHANGED_BY_0):
            raise Unsupported("a change of the stack in")
        state.fence("seq_cst")  # the top of the stack stays as it is
        return
    value = state.read(source, bits)
    before, after = _updated(state, how, target, value, locked=locked)
    state.set_flags(_FLAGS_OF[how], before, value, after)


def _count(how: str, state: AssemblyState, bits: int, locked: bool, target: Argument) -> None:
    one = number(1, bits)
    before, after = _updated(state, how, target, one, locked=locked)
    state.set_flags("count", before, one, after)


def _not(state: AssemblyState, bits: int, locked: bool, target: Argument) -> None:
    _updated(state, "xor", target, number(-1, bits), locked=locked)


def _negate(state: AssemblyState, bits: int, locked: bool, target: Argument) -> None:
    if locked:
        raise Unsupported("a locked negation in")
    zero, value = number(0, bits), state.read(target, bits)
    after = state.emit("sub", Int(bits), zero, value)
    state.write(target, after)
    state.set_flags("sub", zero, value, after)


def _compare(how: str, state: AssemblyState, bits: int, _locked: bool, source: Argument, target: Argument) -> None:
    value, before = state.read(source, bits), state.read(target, bits)
    state.set_flags(_FLAGS_OF[how], before, value, state.emit(how, Int(bits), before, value))


def _exchange_add(state: AssemblyState, bits: int, locked: bool, source: Argument, target: Argument) -> None:
    value = state.read(source, bits)
    before, after = _updated(state, "add", target, value, locked=locked)
    state.write(source, before)
    state.set_flags("add", before, value, after)


def _exchange(state: AssemblyState, bits: int, _locked: bool, one: Argument, other: Argument) -> None:
    if isinstance(one, Memory):
        one, other = other, one
    value = state.read(one, bits)
    if isinstance(other, Memory):
        before = state.update("xchg", other, value)
    else:
        before = state.read(other, bits)
        state.write(other, value)
    state.write(one, before)


def _compare_exchange(state: AssemblyState, bits: int, locked: bool, source: Argument, target: Argument) -> None:
    accumulator = Register("ax", bits)
    old, new = state.read(accumulator, bits), state.read(source, bits)
    if locked:
        assert isinstance(target, Memory)
        before, _ = state.exchange(target, old, new)
    else:  # what fails writes the value that it has read
        before = state.read(target, bits)
        state.write(target, _chosen(state, old, before, new, before))
    state.write(accumulator, before)
    state.set_flags("sub", old, before, state.emit("sub", Int(bits), old, before))


def _chosen(state: AssemblyState, one: Operand, other: Operand, equal: Operand, different: Operand) -> Operand:
    return state.emit("select", equal.type, state.test("eq", one, other), equal, different)


def _compare_exchange_pair(state: AssemblyState, bits: int, locked: bool, target: Argument) -> None:
    if not locked or not isinstance(target, Memory):
        raise Unsupported("an exchange of two registers that is not locked in")
    halves = {each: Register(each, bits) for each in ("ax", "dx", "bx", "cx")}
    old = _joined(state, bits, halves["ax"], halves["dx"])
    new = _joined(state, bits, halves["bx"], halves["cx"])
    before, _ = state.exchange(target, old, new)
    state.write(halves["ax"], state.emit("trunc", Int(bits), before))
    high = state.emit("lshr", before.type, before, number(bits, 2 * bits))
    state.write(halves["dx"], state.emit("trunc", Int(bits), high))
    state.set_zero_flag(state.test("eq", before, old))


def _joined(state: AssemblyState, bits: int, low: Register, high: Register) -> Operand:
    whole = Int(2 * bits)
    parts = [state.emit("zext", whole, state.read(each, bits)) for each in (low, high)]
    return state.emit("or", whole, parts[0], state.emit("shl", whole, parts[1], number(bits, 2 * bits)))


def _move(state: AssemblyState, bits: int, _locked: bool, source: Argument, target: Argument) -> None:
    state.write(target, state.read(source, bits))


def _swap_bytes(state: AssemblyState, bits: int, _locked: bool, target: Argument) -> None:
    if bits < 32:
        raise Unsupported("16 bits in")
    state.write(target, state.call(f"llvm.bswap.i{bits}", Int(bits), state.read(target, bits)))


def _set_if(condition: str, state: AssemblyState, _bits: int, _locked: bool, target: Argument) -> None:
    state.write(target, state.emit("zext", Int(8), state.condition(condition)))


def _move_if(
    condition: str, state: AssemblyState, bits: int, _locked: bool, source: Argument, target: Argument
) -> None:
    value, before = state.read(source, bits), state.read(target, bits)
    state.write(target, state.emit("select", Int(bits), state.condition(condition), value, before))


def _fence(ordering: str, state: AssemblyState, _bits: int, _locked: bool) -> None:
    state.fence(ordering)


def _nothing(_state: AssemblyState, _bits: int, _locked: bool, *_hints: Argument) -> None:
    pass


def _time_stamp(state: AssemblyState, _bits: int, _locked: bool) -> None:
    now = state.call("llvm.readcyclecounter", Int(64))
    state.write(Register("ax", 32), state.emit("trunc", Int(32), now))
    high = state.emit("lshr", Int(64), now, number(32, 64))
    state.write(Register("dx", 32), state.emit("trunc", Int(32), high))


def _identify(state: AssemblyState, _bits: int, _locked: bool) -> None:
    """It is a serialising instruction, too: all stores before it are visible."""
    leaf = state.read(Register("ax", 32), 32)
    state.fence("seq_cst")
    for at, name in enumerate(("ax", "bx", "cx", "dx")):
        is_used = state.is_output(name)
        value = state.call("llvm.x86.cpuid", Int(32), leaf, number(at, 32)) if is_used else number(0, 32)
        state.write(Register(name, 32), value)


def _store_string(state: AssemblyState, bits: int, _locked: bool) -> None:
    count, place = (Register(name, 64) for name in ("cx", "di"))
    value, times, to = state.read(Register("ax", bits), bits), state.read(count, 64), state.read(place, 64)
    state.hold_memory_declared()
    address = state.emit("inttoptr", POINTER, to)
    state.call("llvm.x86.stos", VOID, address, state.widened(value), times, number(bits // 8, 64))
    _advance(state, bits, times, place)
    state.write(count, number(0, 64))


def _move_string(state: AssemblyState, bits: int, _locked: bool) -> None:
    count, to, source = (Register(name, 64) for name in ("cx", "di", "si"))
    times = state.read(count, 64)
    state.hold_memory_declared()
    addresses = [state.emit("inttoptr", POINTER, state.read(each, 64)) for each in (to, source)]
    state.call("llvm.x86.movs", VOID, *addresses, times, number(bits // 8, 64))
    _advance(state, bits, times, to, source)
    state.write(count, number(0, 64))


def _advance(state: AssemblyState, bits: int, times: Operand, *places: Register) -> None:
    size = state.emit("mul", Int(64), times, number(bits // 8, 64))
    for each in places:
        state.write(each, state.emit("add", Int(64), state.read(each, 64), size))


_CONDITIONS: Final = "e z ne nz s ns c b nae nc ae nb be na a nbe l nge ge nl le ng g nle".split()

#: By its name without the letter of a size: what does an instruction, and how many operands it has.
SIZED: Final[dict[str, tuple[Done, int]]] = {
    **{how: (partial(_binary, how), 2) for how in _FLAGS_OF},
    "inc": (partial(_count, "add"), 1),
    "dec": (partial(_count, "sub"), 1),
    "not": (_not, 1),
    "neg": (_negate, 1),
    "cmp": (partial(_compare, "sub"), 2),
    "test": (partial(_compare, "and"), 2),
    "xadd": (_exchange_add, 2),
    "xchg": (_exchange, 2),
    "cmpxchg": (_compare_exchange, 2),
    "mov": (_move, 2),
    "bswap": (_swap_bytes, 1),
    **{f"cmov{each}": (partial(_move_if, each), 2) for each in _CONDITIONS},
}

#: Instructions whose names tell the bits of all operands (0: they have none of registers).
FIXED: Final[dict[str, tuple[Done, int, int]]] = {
    **{f"set{each}": (partial(_set_if, each), 1, 8) for each in _CONDITIONS},
    "cmpxchg8b": (_compare_exchange_pair, 1, 32),
    "cmpxchg16b": (_compare_exchange_pair, 1, 64),
    "mfence": (partial(_fence, "seq_cst"), 0, 0),
    "sfence": (partial(_fence, "release"), 0, 0),
    "lfence": (partial(_fence, "acquire"), 0, 0),
    "nop": (_nothing, 0, 0),
    "pause": (_nothing, 0, 0),
    "rep nop": (_nothing, 0, 0),
    "cld": (_nothing, 0, 0),
    **{f"prefetch{each}": (_nothing, 1, 0) for each in ("nta", "t0", "t1", "t2", "w")},
    "rdtsc": (_time_stamp, 0, 0),
    "cpuid": (_identify, 0, 0),
    **{f"rep stos{each}": (_store_string, 0, bits) for each, bits in zip("bwlq", (8, 16, 32, 64), strict=True)},
    **{f"rep movs{each}": (_move_string, 0, bits) for each, bits in zip("bwlq", (8, 16, 32, 64), strict=True)},
}

#: Those that may be locked, with memory as their target.
LOCKABLE: Final = frozenset("add sub and or xor inc dec not xadd xchg cmpxchg cmpxchg8b cmpxchg16b".split())
