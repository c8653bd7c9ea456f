"""The functions that instrumented code calls, as text of LLVM IR: they are put into the code in place of their calls.

A number is stored as one more than it is, so that zero marks the end of what was written, however the program ends.
`mzk.at` is a variable of the calling function, the place in the thread's window; it's in thread-local memory while
others may write.

Measured against fields of bits in words of 64, stored at each number: bytes are larger (131 MB against 87 MB of an
interpreter) and faster (27 % against 40 % there), since that a word is full is hard to predict; a selection in place
of the branch costs 60 %.
"""

from __future__ import annotations

from typing import Final

_HEAD: Final = """
@__mzk_at = external thread_local(localexec) global ptr
@__mzk_end = external thread_local(localexec) global ptr
@__mzk_left = external thread_local(localexec) global i32
@__mzk_depth = external thread_local(localexec) global i32
@__mzk_calls = external thread_local(localexec) global [4096 x i32]
declare preserve_mostcc ptr @__mzk_more(i32)
declare preserve_mostcc void @__mzk_count(i64, i32)
declare preserve_mostcc void @__mzk_stamp(i32)
declare void @__mzk_input(i64, i32, i64, i64, i64, i32)
declare void @__mzk_landed(ptr, i32)
declare i32 @__mzk_pthread_create(ptr, ptr, ptr, ptr)
declare i32 @__mzk_thrd_create(ptr, ptr, ptr)

define internal i32 @mzk.push(i32 %site) alwaysinline nounwind {
  %depth = load i32, ptr @__mzk_depth
  %at = and i32 %depth, 4095
  %place = getelementptr i32, ptr @__mzk_calls, i32 %at
  store i32 %site, ptr %place
  %deeper = add i32 %depth, 1
  store i32 %deeper, ptr @__mzk_depth
  ret i32 %depth
}

define internal void @mzk.save(ptr %at) alwaysinline nounwind {
  %place = load ptr, ptr %at
  store ptr %place, ptr @__mzk_at
  ret void
}

define internal void @mzk.load(ptr %at) alwaysinline nounwind {
  %place = load ptr, ptr @__mzk_at
  store ptr %place, ptr %at
  ret void
}
"""

_FRAME: Final = "declare ptr @llvm.frameaddress.p0(i32"

_PUT: Final = """
define internal void @mzk.put{width}(ptr %at, i32 %value, i32 %site) alwaysinline nounwind {{
  %before = load ptr, ptr %at
  %end = load ptr, ptr @__mzk_end
  %full = icmp uge ptr %before, %end
  br i1 %full, label %more, label %write, !prof !{rare}
more:
  %window = call preserve_mostcc ptr @__mzk_more(i32 %site)
  br label %write
write:
  %place = phi ptr [ %before, %0 ], [ %window, %more ]
  %narrow = trunc i32 %value to i{bits}
  %one = add i{bits} %narrow, 1
  store i{bits} %one, ptr %place, align 1
  %next = getelementptr i8, ptr %place, i64 {width}
  store ptr %next, ptr %at
{ending}
}}
"""

_PLAIN: Final = "  ret void"

_STAMPED: Final = """  %left = load i32, ptr @__mzk_left
  %less = add i32 %left, -1
  store i32 %less, ptr @__mzk_left
  %due = icmp slt i32 %less, 0
  br i1 %due, label %stamp, label %done, !prof !{rare}
stamp:
  store ptr %next, ptr @__mzk_at
  call preserve_mostcc void @__mzk_stamp(i32 %site)
  call void @mzk.load(ptr %at)
  br label %done
done:
  ret void"""

_COUNT: Final = """
define internal void @mzk.count(ptr %at, i64 %count, i32 %site) alwaysinline nounwind {{
  %wide = icmp ugt i64 %count, 252
  br i1 %wide, label %long, label %short, !prof !{rare}
short:
  %narrow = trunc i64 %count to i32
  call void @mzk.put1(ptr %at, i32 %narrow, i32 %site)
  ret void
long:
  call void @mzk.save(ptr %at)
  call preserve_mostcc void @__mzk_count(i64 %count, i32 %site)
  call void @mzk.load(ptr %at)
  ret void
}}
"""


def declarations(text: str, entry_width: int, stamps: int, free: int) -> list[str]:
    """The declarations and functions that a ``text`` needs; numbers of functions have ``entry_width`` bytes, ``stamps``
    numbers come before each time stamp, and metadata from the number ``free`` on isn't used."""
    found = [_HEAD, f"@__mzk_entry_width = constant i32 {entry_width}", f"@__mzk_stamps = constant i32 {stamps}"]
    if _FRAME not in text:
        found.append(f"{_FRAME})")
    ending = _STAMPED.format(rare=free) if stamps else _PLAIN
    found += [_PUT.format(width=width, bits=8 * width, rare=free, ending=ending) for width in (1, 2)]
    found += [_COUNT.format(rare=free), f'!{free} = !{{!"branch_weights", i32 1, i32 100000}}']
    return found
