"""The text of the functions by which native code accesses memory.

``@load_N`` and ``@move_N`` return N bytes, and whether Python has to make the access instead; ``@store_N`` returns the
latter. An access is made if its object is in the table, allows it now, and has the bytes. A load needs at least one
byte that is initialised, as in :mod:`mazurka.program.llvm.memory`; a store makes its bytes so.
"""

from __future__ import annotations

from typing import Final

from mazurka.program.llvm.memory_objects import BIAS, MASK, SHIFT
from mazurka.program.llvm.native.context import ENTRIES, ENTRY_SIZE, PLACES, SPREAD, Context, Word

_SIZES: Final = (1, 2, 4, 8)


def accesses(context: Context) -> str:
    """The text of the functions."""
    parts = [
        _LOOK_UP.format(
            shift=SHIFT,
            places=PLACES,
            spread=SPREAD,
            last=ENTRIES - 1,
            size=ENTRY_SIZE,
            table=context.table_at,
            mask=MASK,
            bias=BIAS,
            missed=context.words_at + 8 * Word.MISSED,
        )
    ]
    for size in _SIZES:
        names = {"size": size, "type": f"i{8 * size}", "ones": int.from_bytes(b"\1" * size, "little")}
        parts += [_LOAD.format(**names), _MOVE.format(**names), _STORE.format(**names)]
    return "\n".join(parts)


#: Returns the address of bytes, and how far from there their shadow is; the address is 0 if Python has to access them,
#: the distance is 0 if there is no shadow.
_LOOK_UP: Final = """
define internal {{i64, i64}} @look_up(i64 %a, i64 %size, i64 %flags) alwaysinline {{
  %number = lshr i64 %a, {shift}
  %thread = lshr i64 %number, {places}
  %spread = mul i64 %thread, {spread}
  %sum = add i64 %number, %spread
  %index = and i64 %sum, {last}
  %at = mul i64 %index, {size}
  %place = add i64 %at, {table}
  %entry = inttoptr i64 %place to ptr
  %known = load i64, ptr %entry
  %is = icmp eq i64 %known, %number
  br i1 %is, label %hit, label %miss
miss:
  store i64 %number, ptr inttoptr (i64 {missed} to ptr)
  ret {{i64, i64}} {{i64 0, i64 0}}
hit:
  %low = and i64 %a, {mask}
  %offset = sub i64 %low, {bias}
  %end = add i64 %offset, %size
  %size_at = getelementptr i8, ptr %entry, i64 24
  %length = load i32, ptr %size_at
  %whole = zext i32 %length to i64
  %begins = icmp ule i64 %offset, %whole
  %ends = icmp ule i64 %end, %whole
  %within = and i1 %begins, %ends
  %flags_at = getelementptr i8, ptr %entry, i64 28
  %own = load i32, ptr %flags_at
  %wide = zext i32 %own to i64
  %allowed = and i64 %wide, %flags
  %may = icmp ne i64 %allowed, 0
  %good = and i1 %within, %may
  br i1 %good, label %found, label %bad
bad:
  ret {{i64, i64}} {{i64 0, i64 0}}
found:
  %data_at = getelementptr i8, ptr %entry, i64 8
  %data = load i64, ptr %data_at
  %shadow_at = getelementptr i8, ptr %entry, i64 16
  %shadow = load i64, ptr %shadow_at
  %byte = add i64 %data, %offset
  %mark = add i64 %shadow, %offset
  %none = icmp eq i64 %shadow, 0
  %marks = select i1 %none, i64 0, i64 %mark
  %one = insertvalue {{i64, i64}} undef, i64 %byte, 0
  %both = insertvalue {{i64, i64}} %one, i64 %marks, 1
  ret {{i64, i64}} %both
}}
"""

_LOAD: Final = """
define internal {{{type}, i1}} @load_{size}(i64 %a, i64 %flags) alwaysinline {{
  %found = call {{i64, i64}} @look_up(i64 %a, i64 {size}, i64 %flags)
  %byte = extractvalue {{i64, i64}} %found, 0
  %missing = icmp eq i64 %byte, 0
  br i1 %missing, label %bad, label %good
bad:
  ret {{{type}, i1}} {{{type} 0, i1 1}}
good:
  %mark = extractvalue {{i64, i64}} %found, 1
  %none = icmp eq i64 %mark, 0
  br i1 %none, label %set, label %look
look:
  %marks_at = inttoptr i64 %mark to ptr
  %marks = load {type}, ptr %marks_at, align 1
  %unset = icmp eq {type} %marks, 0
  br i1 %unset, label %bad, label %set
set:
  %at = inttoptr i64 %byte to ptr
  %value = load {type}, ptr %at, align 1
  %result = insertvalue {{{type}, i1}} {{{type} 0, i1 0}}, {type} %value, 0
  ret {{{type}, i1}} %result
}}
"""

_MOVE: Final = """
define internal {{{type}, i1}} @move_{size}(i64 %a, i64 %flags) alwaysinline {{
  %found = call {{i64, i64}} @look_up(i64 %a, i64 {size}, i64 %flags)
  %byte = extractvalue {{i64, i64}} %found, 0
  %missing = icmp eq i64 %byte, 0
  br i1 %missing, label %bad, label %good
bad:
  ret {{{type}, i1}} {{{type} 0, i1 1}}
good:
  %at = inttoptr i64 %byte to ptr
  %value = load {type}, ptr %at, align 1
  %result = insertvalue {{{type}, i1}} {{{type} 0, i1 0}}, {type} %value, 0
  ret {{{type}, i1}} %result
}}
"""

_STORE: Final = """
define internal i1 @store_{size}(i64 %a, {type} %value, i64 %flags) alwaysinline {{
  %found = call {{i64, i64}} @look_up(i64 %a, i64 {size}, i64 %flags)
  %byte = extractvalue {{i64, i64}} %found, 0
  %missing = icmp eq i64 %byte, 0
  br i1 %missing, label %bad, label %good
bad:
  ret i1 1
good:
  %at = inttoptr i64 %byte to ptr
  store {type} %value, ptr %at, align 1
  %mark = extractvalue {{i64, i64}} %found, 1
  %none = icmp eq i64 %mark, 0
  br i1 %none, label %done, label %mark_it
mark_it:
  %marks_at = inttoptr i64 %mark to ptr
  store {type} {ones}, ptr %marks_at, align 1
  br label %done
done:
  ret i1 0
}}
"""
