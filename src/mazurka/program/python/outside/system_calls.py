"""System calls of child processes: tables of those that act only on the process itself and files that it has open, and
of those that name a path. All others are unknown, and a child that makes one is not controlled.

Numbers are those of the kernel's headers, for x86-64 and for 64-bit ARM ("-": there is no such call).
"""

from __future__ import annotations

import platform
import sys
from enum import Enum
from typing import Final, NamedTuple

#: Calls on the process itself, its memory, its own children, and descriptors: name, number on x86-64, on ARM. A file
#: that is written by way of a descriptor was opened for writing before.
_HARMLESS: Final = """
    read 0 63, write 1 64, close 3 57, fstat 5 80, lseek 8 62, mmap 9 222, mprotect 10 226, munmap 11 215,
    mremap 25 216, madvise 28 233, brk 12 214, rt_sigaction 13 134, rt_sigprocmask 14 135, rt_sigreturn 15 139,
    rt_sigpending 127 136, rt_sigsuspend 130 133, rt_sigtimedwait 128 137, sigaltstack 131 132, ioctl 16 29,
    poll 7 -, ppoll 271 73, select 23 -, pselect6 270 72, pread64 17 67, pwrite64 18 68, readv 19 65, writev 20 66,
    preadv 295 69, pwritev 296 70, preadv2 327 286, pwritev2 328 287, pipe 22 -, pipe2 293 59, dup 32 23, dup2 33 -,
    dup3 292 24, fcntl 72 25, fsync 74 82, fdatasync 75 83, sync 162 81, syncfs 306 267, sync_file_range 277 84,
    getdents 78 -, getdents64 217 61, getcwd 79 17, fchdir 81 50, umask 95 166, ftruncate 77 46, fallocate 285 47,
    fstatfs 138 44, fadvise64 221 223, readahead 187 213, sendfile 40 71, copy_file_range 326 285, splice 275 76,
    tee 276 77, vmsplice 278 75, msync 26 227, mincore 27 232, mlock 149 228, munlock 150 229, mlock2 325 284,
    membarrier 324 283, pkey_mprotect 329 288, pkey_alloc 330 289, pkey_free 331 290, memfd_create 319 279,
    pause 34 -, nanosleep 35 101, clock_nanosleep 230 115, getitimer 36 102, setitimer 38 103, alarm 37 -,
    timer_create 222 107, timer_settime 223 110, timer_gettime 224 108, timer_getoverrun 225 109,
    timer_delete 226 111, timerfd_create 283 85, timerfd_settime 286 86, timerfd_gettime 287 87, eventfd 284 -,
    eventfd2 290 19, signalfd 282 -, signalfd4 289 74, epoll_create 213 -, epoll_create1 291 20, epoll_ctl 233 21,
    epoll_wait 232 -, epoll_pwait 281 22, epoll_pwait2 441 441, gettimeofday 96 169, time 201 -, times 100 153,
    clock_gettime 228 113, clock_getres 229 114, getrandom 318 278, getpid 39 172, gettid 186 178, getppid 110 173,
    getuid 102 174, getgid 104 176, geteuid 107 175, getegid 108 177, getpgrp 111 -, getpgid 121 155,
    getsid 124 156, getgroups 115 158, getresuid 118 148, getresgid 120 150, capget 125 90, setpgid 109 154,
    setsid 112 157, setuid 105 146, setgid 106 144, setreuid 113 145, setregid 114 143, setgroups 116 159,
    setresuid 117 147, setresgid 119 149, setfsuid 122 151, setfsgid 123 152, capset 126 91, prctl 157 167,
    arch_prctl 158 -, uname 63 160, sysinfo 99 179, getrusage 98 165, getrlimit 97 163, setrlimit 160 164,
    getpriority 140 141, sched_yield 24 124, sched_getparam 143 121, sched_getscheduler 145 120,
    sched_getaffinity 204 123, sched_get_priority_max 146 125, sched_get_priority_min 147 126,
    sched_rr_get_interval 148 127, sched_getattr 315 275, getcpu 309 168, get_mempolicy 239 236, clone 56 220,
    clone3 435 435, fork 57 -, vfork 58 -, exit 60 93, exit_group 231 94, wait4 61 260, waitid 247 95,
    set_tid_address 218 96, set_robust_list 273 99, get_robust_list 274 100, rseq 334 293, restart_syscall 219 128,
    futex 202 98, futex_waitv 449 449, socket 41 198, socketpair 53 199, getsockname 51 204, getpeername 52 205,
    getsockopt 55 209, setsockopt 54 208, recvfrom 45 207, recvmsg 47 212, recvmmsg 299 243, shutdown 48 210,
    close_range 436 436
"""

#: Calls that are looked at one by one.
_LOOKED_AT: Final = """
    open 2 -, creat 85 -, openat 257 56, openat2 437 437, access 21 -, faccessat 269 48, faccessat2 439 439,
    stat 4 -, lstat 6 -, newfstatat 262 79, statx 332 291, readlink 89 -, readlinkat 267 78, statfs 137 43,
    chdir 80 49, execve 59 221, execveat 322 281, getxattr 191 8, lgetxattr 192 9, listxattr 194 11,
    llistxattr 195 12, mkdir 83 -, mkdirat 258 34, symlink 88 -, symlinkat 266 36, link 86 -, linkat 265 37,
    unlink 87 -, unlinkat 263 35, rmdir 84 -, rename 82 -, renameat 264 38, renameat2 316 276, truncate 76 45,
    chmod 90 -, fchmodat 268 53, chown 92 -, lchown 94 -, fchownat 260 54, utime 132 -, utimes 235 -,
    futimesat 261 -, utimensat 280 88, fchmod 91 52, fchown 93 55, flock 73 32, kill 62 129, tkill 200 130,
    tgkill 234 131, prlimit64 302 261, connect 42 203, sendto 44 206, sendmsg 46 211, seccomp 317 277
"""

_COLUMNS: Final = {"x86_64": 1, "aarch64": 2}
_ARCHITECTURES: Final = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}  # as `seccomp` names them


class Effect(Enum):
    """The effect of a call on a path."""

    LOOK = "looks at the file"
    OPEN = "opens it, for writing or not"
    MAKE = "makes an entry"
    REMOVE = "removes an entry"
    RENAME = "gives the first path the name of the second one"
    LINK = "makes an entry, the second path, for the file at the first one"
    TRUNCATE = "changes the content"
    DESCRIBE = "changes permissions, owner or times"
    EXECUTE = "executes the file"


class PathCall(NamedTuple):
    """How a call names paths: positions of arguments, of a descriptor that the path begins at (-1: none) and of the
    path (-1: the descriptor itself stands for the file). ``follows``: the call follows a link at the end of the
    path."""

    effect: Effect
    paths: tuple[tuple[int, int], ...]
    flags: int = -1  # the position of flags
    follows: bool = True


_AT: Final = ((0, 1),)
_PLAIN: Final = ((-1, 0),)
_BY_DESCRIPTOR: Final = ((0, -1),)

PATH_CALLS: Final = {
    "open": PathCall(Effect.OPEN, _PLAIN, 1),
    "creat": PathCall(Effect.OPEN, _PLAIN),
    "openat": PathCall(Effect.OPEN, _AT, 2),
    "openat2": PathCall(Effect.OPEN, _AT, 2),
    **{name: PathCall(Effect.LOOK, _PLAIN) for name in "access stat statfs chdir getxattr listxattr".split()},
    **{name: PathCall(Effect.LOOK, _PLAIN, follows=False) for name in "lstat readlink lgetxattr llistxattr".split()},
    **{name: PathCall(Effect.LOOK, _AT) for name in "faccessat faccessat2 newfstatat statx".split()},
    "readlinkat": PathCall(Effect.LOOK, _AT, follows=False),
    "execve": PathCall(Effect.EXECUTE, _PLAIN),
    "execveat": PathCall(Effect.EXECUTE, _AT),
    "mkdir": PathCall(Effect.MAKE, _PLAIN, follows=False),
    "mkdirat": PathCall(Effect.MAKE, _AT, follows=False),
    "symlink": PathCall(Effect.MAKE, ((-1, 1),), follows=False),
    "symlinkat": PathCall(Effect.MAKE, ((1, 2),), follows=False),
    "link": PathCall(Effect.LINK, ((-1, 0), (-1, 1)), follows=False),
    "linkat": PathCall(Effect.LINK, ((0, 1), (2, 3)), follows=False),
    "unlink": PathCall(Effect.REMOVE, _PLAIN, follows=False),
    "unlinkat": PathCall(Effect.REMOVE, _AT, follows=False),
    "rmdir": PathCall(Effect.REMOVE, _PLAIN, follows=False),
    "rename": PathCall(Effect.RENAME, ((-1, 0), (-1, 1)), follows=False),
    "renameat": PathCall(Effect.RENAME, ((0, 1), (2, 3)), follows=False),
    "renameat2": PathCall(Effect.RENAME, ((0, 1), (2, 3)), 4, follows=False),
    "truncate": PathCall(Effect.TRUNCATE, _PLAIN),
    **{name: PathCall(Effect.DESCRIBE, _PLAIN) for name in "chmod chown utime utimes".split()},
    "lchown": PathCall(Effect.DESCRIBE, _PLAIN, follows=False),
    **{name: PathCall(Effect.DESCRIBE, _AT) for name in "fchmodat fchownat futimesat utimensat".split()},
    **{name: PathCall(Effect.DESCRIBE, _BY_DESCRIPTOR) for name in ("fchmod", "fchown")},
    "flock": PathCall(Effect.TRUNCATE, _BY_DESCRIPTOR),  # the order of such calls matters, as with writes
}


def _numbers(table: str) -> dict[int, str]:
    column = _COLUMNS.get(platform.machine()) if sys.platform == "linux" else None
    if column is None:
        return {}
    rows = [each.split() for each in table.replace("\n", " ").split(",")]
    return {int(row[column]): row[0] for row in rows if row[column] != "-"}


#: Harmless calls by number on this machine; empty where there is no table for it.
HARMLESS: Final = _numbers(_HARMLESS)
LOOKED_AT: Final = _numbers(_LOOKED_AT)
NUMBERS: Final = {name: number for number, name in LOOKED_AT.items()}
ARCHITECTURE: Final = _ARCHITECTURES.get(platform.machine(), 0)
