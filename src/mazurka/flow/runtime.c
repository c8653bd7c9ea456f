/* What a recorded program writes its paths with: linked to the program, by mazurka.flow.building.
 *
 * Each thread has a window, a part of the file that stays mapped, and writes into it without locks: what it has written
 * is in the file's pages at once, so that nothing has to be done when the process ends, by whichever signal. A window that
 * is full is copied to the end of the file, as a chunk, by a write: that's several times cheaper than to map ever new
 * pages. Where the end is is a counter that all threads share. In a ring (`ring` chunks per thread) a thread
 * overwrites its oldest chunk.
 *
 * The layout of the file is that of mazurka/flow/raw.py. Where no chunk can be had (the disk is full, the limit of the
 * size of files is reached) the thread writes into memory that is thrown away, and the file says so: the program itself
 * is never disturbed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define CHUNK_MAGIC 0x314b4e5548435a4dull /* "MZCHUNK1" */
#define CHUNK (64u << 10)
#define EXTENT (16u << 20)
#define PART 4096u
#define KEPT_CALLS 4096u
#define LONGEST_INPUT 4096u

enum { ENDED_RETURNED = 1, ENDED_OTHERWISE = 2 };
enum { END_EXIT = 1, END_SIGNAL = 2 };
enum { INPUT = 200, LANDING = 201, STAMP = 202, PASSES = 204 };
#define SLACK 16

typedef struct {
    uint64_t next;        /* where the next chunk goes */
    uint32_t threads;     /* how many threads there have been */
    uint32_t lost;        /* the error number for which chunks could not be had, 0 if all could */
    uint32_t end;         /* how the process ended, as far as it knows */
    uint32_t end_thread;
    uint32_t end_signal;
    uint32_t forks;
    uint64_t end_address;
} control_page;

typedef struct {
    uint64_t magic;
    uint32_t size, thread, sequence, parent, child, ended, site, depth, left, kept, is_window, is_packed;
} chunk_header;

extern const uint32_t __mzk_entry_width, __mzk_stamps;

__thread uint8_t *__mzk_at, *__mzk_end;
__thread int32_t __mzk_left;
__thread uint32_t __mzk_depth, __mzk_calls[KEPT_CALLS];

static __thread chunk_header *window;
__thread uint32_t __mzk_number;
static __thread uint32_t parent, child, sequence, children, lost;
static __thread uint64_t inputs;
static __thread uint64_t *slots;

static control_page *control;
static char *path;
static uint32_t ring;
static uint64_t input_limit = 1u << 20;
static pthread_key_t at_end;
static uint8_t nowhere[CHUNK];

static uint8_t *throw_away(int error) {
    lost = 1;
    if (error && control && !control->lost) control->lost = error;
    window = 0;
    __mzk_end = nowhere + CHUNK - LONGEST_INPUT - 64;
    return nowhere;
}

/* Whether the file may be as long as that: else a write would kill the process by SIGXFSZ. */
static int is_allowed(uint64_t length) {
    struct rlimit most;
    return getrlimit(RLIMIT_FSIZE, &most) || most.rlim_cur == RLIM_INFINITY || length <= most.rlim_cur;
}

static uint64_t end_of_file(uint32_t size) { return __atomic_fetch_add(&control->next, size, __ATOMIC_RELAXED); }

/* Map the thread's window; returns an error number. */
static int make_window(void) {
    uint64_t offset = end_of_file(CHUNK);
    if (!is_allowed(offset + CHUNK)) return EFBIG;
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) return errno;
    int problem = posix_fallocate(file, offset, CHUNK);
    void *map = problem ? MAP_FAILED : mmap(0, CHUNK, PROT_READ | PROT_WRITE, MAP_SHARED, file, offset);
    if (!problem && map == MAP_FAILED) problem = errno;
    close(file);
    if (!problem) { /* with as much memory behind it, to pack the window in */
        void *both = mmap(0, 2 * CHUNK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (both == MAP_FAILED || mremap(map, CHUNK, CHUNK, MREMAP_MAYMOVE | MREMAP_FIXED, both) == MAP_FAILED) problem = errno;
        else window = both;
    }
    return problem;
}

/* Halve bytes that have four bits each, eight at once; returns whether they do. */
static int halve(uint8_t *to, const uint8_t *from, uint32_t bytes) {
    uint64_t all = 0, each;
    for (uint32_t at = 0; at < bytes; at += 8) memcpy(&each, from + at, 8), all |= each;
    if (all & 0xf0f0f0f0f0f0f0f0ull) return 0;
    for (uint32_t at = 0; at < bytes; at += 8) {
        memcpy(&each, from + at, 8);
        each = (each | each >> 4) & 0x00ff00ff00ff00ffull;
        each = (each | each >> 8) & 0x0000ffff0000ffffull;
        uint32_t half = each | each >> 16;
        memcpy(to + at / 2, &half, 4);
    }
    return 1;
}

static int write_all(int file, const void *from, uint32_t bytes, uint64_t offset) {
    for (uint32_t done = 0; done < bytes;) {
        ssize_t written = pwrite(file, (const uint8_t *)from + done, bytes - done, offset + done);
        if (written > 0) done += written;
        else if (written == 0 || errno != EINTR) return written ? errno : ENOSPC;
    }
    return 0;
}

/* Copy the full window to a chunk, packed if all its bytes are small; returns an error number. The chunk ends with its
 * sequence number: one that is only half written counts for nothing. */
static int keep_window(void) {
    if (ring && !slots) slots = calloc(ring, sizeof *slots);
    uint64_t *slot = slots ? &slots[window->sequence % ring] : 0;
    uint64_t last = window->sequence + 1ull;
    uint32_t head = sizeof(chunk_header) + 4 * (window->kept + window->kept % 2);
    uint8_t *packed = (uint8_t *)window + CHUNK;
    int is_packed = halve(packed + head, (uint8_t *)window + head, CHUNK - head - 8);
    uint32_t size = is_packed ? (head + (CHUNK - head - 8) / 2 + 8 + PART - 1) / PART * PART : CHUNK;
    uint64_t offset = slot && *slot ? *slot : end_of_file(slot ? CHUNK : size);
    if (slot) *slot = offset;
    if (!is_allowed(offset + size)) return EFBIG;
    int file = open(path, O_RDWR | O_CLOEXEC), problem;
    if (file < 0) return errno;
    /* Blocks of the disk, many at once: that takes a third of the time of writes. Where there are none, the write says so. */
    if (!ring && offset % EXTENT < size && is_allowed(offset + EXTENT)) fallocate(file, FALLOC_FL_KEEP_SIZE, offset, EXTENT);
    window->is_window = 0;
    window->size = size, window->is_packed = is_packed;
    if (is_packed) {
        memcpy(packed, window, head);
        memcpy(packed + head + (CHUNK - head - 8) / 2, &last, 8);
        problem = write_all(file, packed, head + (CHUNK - head - 8) / 2 + 8, offset);
    } else {
        memcpy((uint8_t *)window + CHUNK - 8, &last, 8);
        problem = write_all(file, window, CHUNK, offset);
    }
    close(file);
    if (problem) window->is_window = 1, window->size = CHUNK, window->is_packed = 0;
    return problem;
}

static void register_thread(void) {
    __mzk_number = __atomic_add_fetch(&control->threads, 1, __ATOMIC_RELAXED);
    if (__mzk_stamps) __mzk_left = __mzk_stamps - 1;
    pthread_setspecific(at_end, (void *)1);
}

/* Give the thread an empty window; `site` is the place in the program from which its numbers go on. */
static uint8_t *fresh_window(uint32_t site) {
    int error = errno, problem = 0;
    if (!control || lost) return throw_away(0);
    if (!__mzk_number) register_thread();
    if (window) problem = keep_window();
    else problem = make_window();
    if (problem) {
        errno = error;
        return throw_away(problem);
    }
    window->magic = 0;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    memset((uint8_t *)window + 8, 0, CHUNK - 8);
    uint32_t calls = ring ? (__mzk_depth < KEPT_CALLS ? __mzk_depth : KEPT_CALLS) : 0;
    window->size = CHUNK, window->thread = __mzk_number, window->sequence = sequence++, window->is_window = 1;
    window->parent = parent, window->child = child, window->site = site;
    window->depth = __mzk_depth, window->kept = calls, window->left = __mzk_left;
    uint32_t *kept = (uint32_t *)(window + 1);
    for (uint32_t each = 0; each < calls; each++) kept[each] = __mzk_calls[(__mzk_depth - calls + each) % KEPT_CALLS];
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    window->magic = CHUNK_MAGIC;
    __mzk_end = (uint8_t *)window + CHUNK - SLACK;
    errno = error;
    return (uint8_t *)(kept + calls + calls % 2);
}

__attribute__((preserve_most, used)) uint8_t *__mzk_more(uint32_t site) { return __mzk_at = fresh_window(site); }

/* Room for an entry of a kind that has so many bytes. */
static uint8_t *room(uint32_t kind, uint32_t site, uint32_t bytes) {
    return __mzk_at && __mzk_at + bytes <= __mzk_end ? __mzk_at : fresh_window((site & ~255u) | kind);
}

static void put(uint32_t kind, uint32_t site, uint8_t first, const void *from, uint32_t bytes) {
    uint8_t *at = room(kind, site, 1 + bytes);
    *at = first;
    if (bytes) memcpy(at + 1, from, bytes);
    __mzk_at = at + 1 + bytes;
}

/* The passes of a loop that are too many for one byte. */
__attribute__((preserve_most, used)) void __mzk_count(uint64_t count, uint32_t site) {
    put(PASSES, site, 255, &count, 8);
}

static uint64_t nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000ull + now.tv_nsec;
}

__attribute__((preserve_most, used)) void __mzk_stamp(uint32_t site) {
    int error = errno;
    uint64_t now = nanoseconds();
    put(STAMP, site, 1, &now, 8);
    __mzk_left = __mzk_stamps - 1;
    errno = error;
}

/* The result of a library function, and what it has stored: a tag, the result, the length of the text, the text. */
void __mzk_input(uint64_t value, uint32_t what, uint64_t first, uint64_t second, uint64_t third, uint32_t site) {
    int error = errno;
    const void *from = 0;
    uint64_t bytes = 0;
    int64_t result = value;
    if (what == 1 && result > 0) from = (void *)second, bytes = result;
    if (what == 2 && value) from = (void *)first, bytes = strlen((char *)first);
    if (what == 3) from = (void *)first, bytes = value * second;
    if (what == 4 && result > 0) from = *(void **)first, bytes = result;
    if (what == 5 && !result) from = (void *)second, bytes = 16;
    if (what == 6 && value) from = (void *)value, bytes = strlen((char *)value);
    if (what == 7 && result > 0) from = (void *)first, bytes = result;
    if (what == 8 && !result) from = (void *)first, bytes = 16;
    uint8_t tag = 2;
    if (bytes > LONGEST_INPUT) bytes = LONGEST_INPUT, tag = 4;
    if (inputs + bytes + 16 > input_limit) {
        put(INPUT, site, 3, 0, 0);
        errno = error;
        return;
    }
    inputs += bytes + 16;
    uint8_t kept[12 + LONGEST_INPUT];
    uint32_t length = bytes;
    memcpy(kept, &value, 8);
    memcpy(kept + 8, &length, 4);
    if (bytes) memcpy(kept + 12, from, bytes);
    put(INPUT, site, tag, kept, 12 + length);
    errno = error;
}

/* A return from setjmp, the first one or a later one. */
void __mzk_landed(void *frame, uint32_t site) {
    uint64_t kept[] = {(uint64_t)frame, site >> 8};
    put(LANDING, site, 1, kept, sizeof kept);
}

static void mark_end(uint32_t how) {
    if (window) window->ended = how;
}

/* The thread ends: the last of the four rounds of destructors of its keys. */
static void end_thread(void *times) {
    if ((uintptr_t)times < 4) {
        pthread_setspecific(at_end, (void *)((uintptr_t)times + 1));
        return;
    }
    if (window && !window->ended) window->ended = ENDED_OTHERWISE;
    if (window) munmap(window, 2 * CHUNK);
    free(slots);
    slots = 0, window = 0;
    __mzk_at = __mzk_end = 0; /* the last thread may yet run functions of atexit, in a chunk of their own */
}

typedef struct {
    void *(*run)(void *);
    int (*run_c11)(void *);
    void *argument;
    uint32_t parent, child;
} start;

static void enter(start *given) {
    parent = given->parent, child = given->child;
    __mzk_at = fresh_window(0);
}

static void *run_thread(void *given) {
    start own = *(start *)given;
    free(given);
    enter(&own);
    void *result = own.run(own.argument);
    put(__mzk_entry_width, 0, 1, "", __mzk_entry_width - 1);
    mark_end(ENDED_RETURNED);
    return result;
}

static int run_c11_thread(void *given) {
    start own = *(start *)given;
    free(given);
    enter(&own);
    int result = own.run_c11(own.argument);
    put(__mzk_entry_width, 0, 1, "", __mzk_entry_width - 1);
    mark_end(ENDED_RETURNED);
    return result;
}

static start *made(void *argument) {
    if (control && !__mzk_number) __mzk_at = fresh_window(0);
    start *own = malloc(sizeof *own);
    if (own) *own = (start){0, 0, argument, __mzk_number, ++children};
    return own;
}

int __mzk_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *argument) {
    start *own = made(argument);
    if (!own) return EAGAIN;
    own->run = run;
    int problem = pthread_create(thread, how, run_thread, own);
    if (problem) free(own), children--;
    return problem;
}

int __mzk_thrd_create(thrd_t *thread, int (*run)(void *), void *argument) {
    start *own = made(argument);
    if (!own) return thrd_nomem;
    own->run_c11 = run;
    int problem = thrd_create(thread, run_c11_thread, own);
    if (problem != thrd_success) free(own), children--;
    return problem;
}

static void at_exit(void) {
    if (control && !control->end) control->end = END_EXIT, control->end_thread = __mzk_number;
}

static void in_child(void) {
    if (control) __atomic_add_fetch(&control->forks, 1, __ATOMIC_RELAXED);
    window = 0, control = 0;
    throw_away(0);
    __mzk_at = nowhere;
}

static void on_signal(int signal, siginfo_t *about, void *unused) {
    (void)unused;
    if (control && control->end != END_SIGNAL) {
        control->end = END_SIGNAL, control->end_thread = __mzk_number, control->end_signal = signal;
        control->end_address = (uint64_t)about->si_addr;
    }
    struct sigaction usual = {.sa_handler = SIG_DFL};
    sigaction(signal, &usual, 0);
    raise(signal);
}

__attribute__((constructor(101))) static void begin(void) {
    const char *given = getenv("MAZURKA_FLOW");
    if (!given) return;
    char *rest;
    uint64_t offset = strtoull(given, &rest, 10);
    ring = strtoul(rest + 1, &rest, 10) / CHUNK;
    input_limit = strtoull(rest + 1, &rest, 10);
    path = strdup(rest + 1);
    unsetenv("MAZURKA_FLOW");
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) return;
    void *map = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, offset);
    close(file);
    if (map == MAP_FAILED) return;
    pthread_key_create(&at_end, end_thread);
    control = map;
    pthread_atfork(0, 0, in_child);
    atexit(at_exit);
    static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM};
    struct sigaction own = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    sigemptyset(&own.sa_mask);
    for (unsigned each = 0; each < sizeof fatal / sizeof *fatal; each++) {
        struct sigaction before;
        if (!sigaction(fatal[each], 0, &before) && before.sa_handler == SIG_DFL) sigaction(fatal[each], &own, 0);
    }
    __mzk_at = fresh_window(0);
}
