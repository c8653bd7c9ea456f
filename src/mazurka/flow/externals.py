"""What functions of libraries mean to a recording: whether they come back, call functions of the program, or bring in
values from outside.

Decision: a function that isn't listed is taken for the worst kind, :attr:`External.UNKNOWN`: before it the open path is
written down, it may call functions of the program, and its result comes from outside. So a name that is missing here
costs time and bytes, never a wrong path.
"""

from __future__ import annotations

import enum
from typing import Final

from mazurka.program.llvm.ir.jumps import SETJMP


class External(enum.Enum):
    """The kinds of library functions."""

    #: Comes back soon, calls nothing of the program, and its result isn't an input. Paths go through its calls.
    QUIET = enum.auto()
    #: May wait for other threads; calls nothing of the program.
    WAITS = enum.auto()
    #: Its result is an input; calls nothing of the program.
    INPUT = enum.auto()
    #: Calls functions that it's given.
    CALLS_BACK = enum.auto()
    #: Starts a thread.
    STARTS = enum.auto()
    #: ``setjmp`` and its like.
    LANDS = enum.auto()
    #: ``longjmp`` and its like.
    JUMPS = enum.auto()
    #: Can't be recorded.
    REFUSED = enum.auto()
    #: Not known.
    UNKNOWN = enum.auto()


_QUIET: Final = frozenset(
    """memcpy memmove memset mempcpy bcopy bzero explicit_bzero memcmp bcmp memchr memrchr memccpy memmem rawmemchr
    strlen strnlen strcpy stpcpy strncpy stpncpy strlcpy strcat strncat strlcat strcmp strncmp strcoll strcasecmp
    strncasecmp strchr index strrchr rindex strchrnul strstr strcasestr strdup strndup strspn strcspn strpbrk strtok_r
    strtok strsep strxfrm ffs ffsl ffsll isupper islower isalpha isdigit isxdigit isspace isprint isgraph isblank
    iscntrl ispunct isalnum toupper tolower isascii toascii __ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc
    __errno_location
    atoi atol atoll atof strtol strtoll strtoimax strtoul strtoull strtoumax strtod strtof strtold abs labs llabs div
    ldiv lldiv srand srandom srand48
    sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp exp2 expm1 log log2 log10 log1p logb ilogb
    pow sqrt cbrt hypot fmod remainder erf erfc tgamma lgamma floor ceil trunc round rint nearbyint lround llround lrint
    llrint fabs fmax fmin fdim copysign nextafter ldexp scalbn scalbln frexp modf fma nan isnan isinf finite
    sinf cosf tanf expf logf powf sqrtf floorf ceilf fabsf fmaxf fminf fmodf roundf
    malloc calloc realloc reallocarray aligned_alloc memalign posix_memalign free
    printf vprintf fprintf vfprintf dprintf snprintf vsnprintf sprintf vsprintf asprintf vasprintf puts fputs putchar
    putc fputc fwrite perror fflush putchar_unlocked fputc_unlocked strerror strerror_r setbuf setvbuf
    __printf_chk __fprintf_chk __snprintf_chk __sprintf_chk __memcpy_chk __memset_chk __strcpy_chk
    pthread_self pthread_equal pthread_detach pthread_setname_np pthread_getname_np
    pthread_mutex_init pthread_mutex_destroy pthread_mutex_unlock pthread_spin_init pthread_spin_destroy
    pthread_spin_unlock pthread_cond_init pthread_cond_destroy pthread_cond_signal pthread_cond_broadcast
    pthread_rwlock_init pthread_rwlock_destroy pthread_rwlock_unlock pthread_barrier_init pthread_barrier_destroy
    pthread_key_create pthread_key_delete pthread_setspecific pthread_getspecific
    pthread_attr_init pthread_attr_destroy pthread_attr_setdetachstate pthread_attr_getdetachstate
    pthread_attr_setstacksize pthread_attr_getstacksize pthread_mutexattr_init pthread_mutexattr_destroy
    pthread_mutexattr_settype pthread_mutexattr_gettype pthread_mutexattr_setrobust pthread_mutexattr_setpshared
    pthread_condattr_init pthread_condattr_destroy pthread_condattr_setclock pthread_rwlockattr_init
    pthread_rwlockattr_destroy pthread_rwlockattr_setkind_np pthread_barrierattr_init pthread_barrierattr_destroy
    sem_init sem_destroy sem_post sem_getvalue mtx_init mtx_destroy mtx_unlock cnd_init cnd_destroy cnd_signal
    cnd_broadcast thrd_current thrd_equal thrd_detach tss_create tss_delete tss_get tss_set
    atexit on_exit at_quick_exit
    sigemptyset sigfillset sigaddset sigdelset sigismember""".split()
)

_WAITS: Final = frozenset(
    """pthread_join pthread_mutex_lock pthread_spin_lock pthread_cond_wait pthread_rwlock_rdlock pthread_rwlock_wrlock
    pthread_mutex_trylock pthread_mutex_timedlock pthread_mutex_clocklock pthread_spin_trylock pthread_cond_timedwait
    pthread_cond_clockwait pthread_rwlock_tryrdlock pthread_rwlock_trywrlock pthread_rwlock_timedrdlock
    pthread_rwlock_timedwrlock pthread_barrier_wait pthread_tryjoin_np pthread_timedjoin_np pthread_testcancel
    pthread_cancel pthread_setcancelstate pthread_setcanceltype pthread_kill
    sem_wait sem_trywait sem_timedwait sem_clockwait mtx_lock mtx_trylock mtx_timedlock cnd_wait cnd_timedwait thrd_join
    thrd_yield sched_yield pthread_yield usleep sleep nanosleep clock_nanosleep thrd_sleep kill raise alarm
    close fclose write pwrite send sendto shutdown fsync""".split()
)

#: Functions whose results are inputs -> what else they bring in: a number that `runtime.c` knows, 0 for nothing.
INPUTS: Final = {
    **dict.fromkeys(
        """rand random rand_r lrand48 mrand48 getchar getc fgetc getchar_unlocked getc_unlocked ungetc time clock
        getpid getppid gettid getuid geteuid open creat fopen fdopen socket accept accept4 bind listen connect lseek
        fseek ftell feof ferror fileno isatty access unlink remove rename mkdir rmdir chdir stat lstat fstat poll select
        sysconf getpagesize getcpu sched_getcpu dup dup2 pipe fcntl ioctl setsockopt getsockopt setenv unsetenv putenv
        mmap munmap mprotect times setlocale rewind""".split(),
        0,
    ),
    **dict.fromkeys(("read", "recv", "pread"), 1),
    **dict.fromkeys(("fgets",), 2),
    **dict.fromkeys(("fread",), 3),
    **dict.fromkeys(("getline",), 4),
    **dict.fromkeys(("clock_gettime",), 5),
    **dict.fromkeys(("getenv", "secure_getenv"), 6),
    **dict.fromkeys(("getrandom",), 7),
    **dict.fromkeys(("gettimeofday",), 8),
}

_CALLS_BACK: Final = frozenset(
    "qsort qsort_r bsearch lsearch lfind tsearch tfind twalk pthread_once call_once exit quick_exit ftw nftw".split()
)

_JUMPS: Final = frozenset("longjmp _longjmp siglongjmp".split())

#: Functions that can't be recorded -> why not.
REFUSALS: Final = {
    **dict.fromkeys(("signal", "sigaction", "bsd_signal", "sigset"), "it may interrupt a path at any place"),
    **dict.fromkeys(("vfork", "clone"), "parent and child would write the same path"),
    **dict.fromkeys(("makecontext", "swapcontext", "setcontext"), "a thread would have several stacks"),
    **dict.fromkeys(
        ("__pthread_register_cancel", "__pthread_unwind_next", "__pthread_register_cancel_defer"),
        "its clean-up handlers run while the stack is unwound",
    ),
    **dict.fromkeys(("timer_create", "mq_notify"), "it may start threads or handlers of signals"),
}

#: Functions that the recorder replaces by its own.
STARTS: Final = frozenset({"pthread_create", "thrd_create"})

#: Functions that bring in more than their results, of which nothing is kept.
UNKEPT: Final = frozenset("scanf fscanf sscanf vscanf vfscanf recvmsg recvfrom readv fork".split())


def plain_name(name: str) -> str:
    """A function's name in the source: headers name some of the C library by the standard that is compiled for."""
    return name.removeprefix("__isoc99_").removeprefix("__isoc23_")


def kind_of(name: str) -> External:
    """The kind of a function that isn't defined in the program, by its :func:`plain_name`."""
    if name.startswith("llvm.") or name in _QUIET:
        return External.QUIET
    if name in _WAITS:
        return External.WAITS
    if name in INPUTS or name in UNKEPT:
        return External.INPUT
    if name in _CALLS_BACK:
        return External.CALLS_BACK
    if name in STARTS:
        return External.STARTS
    if name in SETJMP:
        return External.LANDS
    if name in _JUMPS:
        return External.JUMPS
    if name in REFUSALS:
        return External.REFUSED
    return External.UNKNOWN
