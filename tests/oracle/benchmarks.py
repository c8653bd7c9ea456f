"""The benchmark programs of the literature as small programs, each with the counts that other tools report for it.

``JM`` programs are those of JMCR's test set (parasol-aser/JMCR), ``NH`` those of Nidhugg's; restated, every shared
read and write one step. Counts: ``maz`` Mazurkiewicz classes (Nidhugg, GenMC), ``rf`` reads-from classes (Nidhugg
--rf). None: no report has it, or it takes those tools too long. The same programs as ordinary Python are in
benchmarks/programs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.oracle.language import (
    Assert,
    Break,
    Fork,
    If,
    Join,
    Lock,
    Notify,
    Read,
    Set,
    SmallProgram,
    Unlock,
    Wait,
    While,
    Write,
)

Body = tuple[Any, ...]


def add(variable: str, text: str) -> Body:
    """``variable += text``: a read and a write."""
    return (Read("t", variable), Write(variable, f"t + {text}"))


def within(lock: str, *body: Any) -> Body:
    return (Lock(lock), *body, Unlock(lock))


def forever(*body: Any) -> While:
    return While("True", body)


def give_up(counter: str) -> Body:
    """``if counter++ > 1: break``."""
    return (Set(counter, f"{counter} + 1"), If(f"{counter} > 2", (Break(),)))


# -- JM ---------------------------------------------------------------------------------------------------------------


def counter(k: int) -> SmallProgram:
    return SmallProgram((add("c", "1") * k, add("c", "-1") * k))


def account(n: int) -> SmallProgram:
    pair = (add("amount", "100"), within("m", *add("amount", "-100")))
    return SmallProgram(pair * n, initial={"amount": 100})


def account_deposits(n: int) -> SmallProgram:
    return SmallProgram((add("amount", "100"),) * n, initial={"amount": 100})


def account_withdrawals(n: int) -> SmallProgram:
    return SmallProgram((within("m", *add("amount", "-100")),) * n, initial={"amount": 100})


def transfer(source: str, target: str) -> Body:
    return within(f"m{source}", *add(source, "-100"), *within(f"m{target}", *add(target, "100")))


def account_transfers(n: int) -> SmallProgram:
    sources = {f"s{i}": 110 for i in range(n)}
    return SmallProgram(tuple(transfer(source, "t") for source in sources), initial=sources)


def account_ring(n: int) -> SmallProgram:
    """Each account gives to the next, under the locks of both."""
    threads = tuple(
        (*add(f"a{i}", "300"), *within(f"ma{i}", *add(f"a{i}", "-100")), *transfer(f"a{i}", f"a{(i + 1) % n}"))
        for i in range(n)
    )
    return SmallProgram(threads, initial={f"a{i}": 100 for i in range(n)})


def account_checked(n: int) -> SmallProgram:
    checked = (Read("final", "amount"), Assert("final == 100"))
    return SmallProgram(account(n).threads, after=checked, initial={"amount": 100})


def airline(n: int) -> SmallProgram:
    capacity = n - max(1, n // 10)
    sell = (Read("sold", "sold"), Write("sold", "sold + 1"))
    seller = within("a", Read("sold", "sold"), If(f"sold >= {capacity}", (Write("stop", "1"),), sell))
    starts = tuple(
        s for i in range(n) for s in (Read("stop", "stop"), If("stop == 0", (Fork(i), Set(f"started{i}", "1"))))
    )
    joins = tuple(If(f"started{i} == 1", (Join(i),)) for i in range(n))
    return SmallProgram((seller,) * n, (*starts, *joins), main_forks=False, main_joins=False)


def bubble_sort(values: tuple[int, ...]) -> SmallProgram:
    swaps: Body = ()
    for i in range(len(values) - 1):
        low, high = f"a[{i}]", f"a[{i + 1}]"
        swap = (Read("t", low), Read("u", high), Write(low, "u"), Write(high, "t"))
        swaps += (Read("p", low), Read("q", high), If("p > q", swap))
    initial = {f"a[{i}]": value for i, value in enumerate(values)}
    return SmallProgram((within("lock", *swaps),) * len(values), initial=initial)


def ping_pong(n: int) -> SmallProgram:
    player = (Read("a", "p"), Assert("a != 0"), Read("i", "i"), Read("q", "p"), Write("p", "0"), Write("p", "q"))
    return SmallProgram((player,) * n, initial={"p": 1})


def pool_107(active: int = 3, count: int = 3) -> SmallProgram:
    """With (0, 0) the limit is exceeded if the other thread comes between deciding and acting."""
    make = (
        *within("f", Read("c", "count"), Write("count", "c + 1"), Set("c", "c + 1")),
        If("c > 2", (Set("failed", "1"),)),
    )
    ensure = (
        *within(
            "m", Read("idle", "idle"), Read("active", "active"), Set("d", "min(1 - idle, max(0, 2 - active - idle))")
        ),
        If("d > 0", (*make, *within("m", Read("idle", "idle"), Write("idle", "idle + 1")))),
    )
    borrow = (
        *within(
            "m",
            Read("idle", "idle"),
            If("idle > 0", (Write("idle", "idle - 1"),)),
            Read("active", "active"),
            Write("active", "active + 1"),
        ),
        If("idle == 0", make),
    )
    return SmallProgram((ensure, borrow), initial={"active": active, "count": count})


def string_buffer() -> SmallProgram:
    append = within(
        "b",
        *within("a", Read("n", "length")),
        *within("a", Read("m", "length"), Assert("n <= m")),
    )
    return SmallProgram((append, within("a", Write("length", "0"))), initial={"length": 1})


def allocation(size: int, k: int, threads: int) -> SmallProgram:
    find = within(
        "v",
        Set("b", "-1"),
        Set("i", "0"),
        While(
            "b == -1 and i < " + str(size),
            (Read("cell", ("vec", "i")), If("cell == 0", (Set("b", "i"),)), Set("i", "i + 1")),
        ),
    )
    mark = within("v", Read("cell", ("vec", "b")), If("cell == 0", (Write(("vec", "b"), "1"),), (Set("wrong", "1"),)))
    body = (*find, If("b != -1", mark), Assert("wrong == 0")) * k
    return SmallProgram((body,) * threads)


def rv_example() -> SmallProgram:
    first = (
        *within("l", Write("x", "0")),
        Read("a", "x"),
        If("a > 0", (Read("t", "y"), Write("y", "t + 1"), Write("x", "2"))),
    )
    second = (Read("a", "x"), If("a > 1", (Read("b", "y"), If("b == 3", (Set("e", "1"),), (Write("y", "2"),)))))
    return SmallProgram((first * 2, second * 2), main=within("l", Write("x", "1"), Write("y", "1")) * 2)


def rv_example_checked() -> SmallProgram:
    """With main reading the final values, which the ten final states are made of."""
    plain = rv_example()
    return SmallProgram(plain.threads, plain.main, (Read("fx", "x"), Read("fy", "y")))


def dekker() -> SmallProgram:
    def side(me: int, other: int) -> Body:
        yielding = (
            Write(f"flag{me}", "0"),
            forever(Read("turn", "turn"), If(f"turn == {me}", (Break(),)), *give_up("n1")),
            Write(f"flag{me}", "1"),
        )
        spin = forever(
            Read("f", f"flag{other}"),
            If("f != 1", (Break(),)),
            *give_up("n2"),
            Read("turn", "turn"),
            If(f"turn != {me}", yielding),
        )
        critical = (Write("x", str(me)), Read("seen", "x"), If(f"seen != {me}", (Set("wrong", "1"),)))
        return (Write(f"flag{me}", "1"), spin, *critical, Write("turn", str(other)), Write(f"flag{me}", "0"))

    return SmallProgram((side(1, 2), side(2, 1)), initial={"turn": 1})


def peterson() -> SmallProgram:
    def side(me: int, other: int) -> Body:
        spin = forever(
            Read("f", f"flag{other}"),
            If("f != 1", (Break(),)),
            Read("turn", "turn"),
            If(f"turn != {other}", (Break(),)),
            *give_up("c"),
        )
        return (
            Write(f"flag{me}", "1"),
            Write("turn", str(other)),
            spin,
            Write("x", str(me)),
            Write(f"flag{me}", "0"),
        )

    return SmallProgram((side(1, 2), side(2, 1)))


def lamport() -> SmallProgram:
    def side(me: int) -> Body:
        again = (Set("again", "1"),)
        wait_y = forever(Read("y", "y"), If("y == 0", (Break(),)), *give_up("n2"))
        contended = (
            Write(f"f{me}", "0"),
            forever(Read("f", "f2"), If("f < 1", (Break(),)), *give_up("n3")),
            Read("y", "y"),
            If(
                f"y != {me}",
                (forever(Read("y", "y"), If("y == 0", (Break(),)), *give_up("n4")), *again),
            ),
        )
        attempt = (
            Set("again", "0"),
            Write(f"f{me}", "1"),
            Write("x", str(me)),
            Read("y", "y"),
            If(
                "y != 0",
                (Write(f"f{me}", "0"), wait_y, *again),
                (Write("y", str(me)), Read("x", "x"), If(f"x != {me}", contended)),
            ),
            If("again == 0", (Break(),)),
        )
        return (
            forever(*give_up("n1"), *attempt),
            Write("shared", str(me)),
            Read("seen", "shared"),
            If(f"seen != {me}", (Set("wrong", "1"),)),
            Write("y", "0"),
            Write(f"f{me}", "0"),
        )

    return SmallProgram((side(1), side(2)))


def bakery() -> SmallProgram:
    def side(i: int) -> Body:
        draw: Body = ()
        turns: Body = ()
        for j in (0, 1):
            draw += (Read("n", f"number{j}"), If("n > m", (Read("m", f"number{j}"),)))
            turns += (
                forever(Read("e", f"enter{j}"), If("e != 1", (Break(),)), *give_up("n1")),
                forever(
                    Read("n", f"number{j}"),
                    If("n == 0", (Break(),)),
                    Read("p", f"number{j}"),
                    Read("q", f"number{i}"),
                    If("p >= q", (Break(),)),
                    *give_up("n2"),
                ),
            )
        return (
            Write(f"enter{i}", "1"),
            *draw,
            Write(f"number{i}", "m + 1"),
            Write(f"enter{i}", "0"),
            *turns,
            Write("x", str(i + 1)),
            Write(f"number{i}", "0"),
        )

    return SmallProgram((side(0), side(1)))


def dead_lock() -> SmallProgram:
    return SmallProgram(
        (
            within("m1", Write("field", "1"), *within("m2")),
            within("m2", Read("a", "field"), *within("m1")),
        )
    )


def wait_notify() -> SmallProgram:
    def side(unwanted: int, step: str) -> Body:
        waiting = While(f"n == {unwanted}", (Wait("q"),), before=(Read("n", "count"),))
        return within("m", waiting, Read("n", "count"), Write("count", f"n {step}"), Notify("q"))

    producer, consumer = side(2, "+ 1"), side(0, "- 1")
    return SmallProgram((producer, producer, consumer, consumer), conditions={"q": "m"})


def example(shape: str) -> SmallProgram:
    """Gone from JMCR's tests, but in its history: (a) two writers and a reader of both, (b) load buffering."""
    if shape == "a":
        return SmallProgram(((Write("y", "1"),), (Read("a", "x"), Read("b", "y"))), (Write("x", "1"),))
    return SmallProgram(((Read("b", "x"), Write("y", "1")),), (Read("a", "y"), Write("x", "1")))


def message_passing() -> SmallProgram:
    receive = (Read("f", "flag"), Read("d", "data"), Assert("f == 0 or d == 1"))
    return SmallProgram(((Write("data", "1"), Write("flag", "1")), receive))


def store_buffering() -> SmallProgram:
    return SmallProgram(((Write("x", "1"), Read("a", "y")), (Write("y", "1"), Read("b", "x"))))


def closing() -> SmallProgram:
    """The example of docs/explanation/mcr.md."""
    deposit = (Read("c", "closed"), If("c == 0", within("lock", *add("balance", "10"))))
    return SmallProgram((deposit, (*within("lock", Write("balance", "0")), Write("closed", "1"))))


# -- NH ---------------------------------------------------------------------------------------------------------------


def fib_bench(n: int) -> SmallProgram:
    first = (Read("a", "i"), Read("b", "j"), Write("i", "a + b"))
    second = (Read("a", "j"), Read("b", "i"), Write("j", "a + b"))
    return SmallProgram((first * n, second * n), initial={"i": 1, "j": 1})


def fib_unjoined(n: int) -> SmallProgram:
    joined = fib_bench(n)
    looks = (Read("i", "i"), Read("j", "j"))
    return SmallProgram(joined.threads, looks, initial=joined.initial)


def within_two(found: str, *attempt: Any) -> Body:
    """Tries twice at most; ``attempt`` breaks on success."""
    rounds = (Set("k", "0"), While("k < 2", (Set("k", "k + 1"), *attempt)))
    return (Set(found, "0"), *rounds, If(f"{found} == 0", (Break(),)))


def looked(variable: str, test: str, found: str = "ok") -> Body:
    return (Read("f", variable), If(test, (Set(found, "1"), Break())))


def critical(me: int) -> Body:
    return (Write("x", str(me)), Read("mine", "x"), Assert(f"mine == {me}"))


def two_rounds(*body: Any) -> Body:
    """An outer loop that a thread leaves when it gives up."""
    return (Set("r", "0"), While("r < 2", (Set("r", "r + 1"), *body)))


def szymanski() -> SmallProgram:
    def side(me: int, other: int) -> Body:
        mine, theirs = f"flag{me}", f"flag{other}"
        last = (
            Read("f", theirs),
            If("f < 2", (Set("ok", "1"), Break())),
            *looked(theirs, "f > 3"),
        )
        waiting_room = (Write(mine, "2"), *within_two("ok", *looked(theirs, "f == 4"))[:-1])
        return two_rounds(
            Write(mine, "1"),
            *within_two("ok", *looked(theirs, "f < 3")),
            Write(mine, "3"),
            Read("f", theirs),
            If("f == 1", waiting_room),
            If("ok == 0", (Break(),)),
            Write(mine, "4"),
            *within_two("ok", *looked(theirs, "f < 2")),
            *critical(me),
            *within_two("ok", *last),
            Write(mine, "0"),
        )

    return SmallProgram((side(1, 2), side(2, 1)))


def peterson_twice() -> SmallProgram:
    def side(me: int, other: int) -> Body:
        enter = (Read("f", f"flag{other}"), Read("t", "turn"))
        return two_rounds(
            Write(f"flag{me}", "1"),
            Write("turn", str(other)),
            *within_two("ok", *enter, If(f"f != 1 or t != {other}", (Set("ok", "1"), Break()))),
            *critical(me + 1),
            Write(f"flag{me}", "0"),
        )

    return SmallProgram((side(0, 1), side(1, 0)))


def dekker_twice() -> SmallProgram:
    def side(me: int, other: int) -> Body:
        def my_turn(otherwise: Body) -> Body:
            return (Read("t", "turn"), If(f"t != {me}", otherwise))

        give_way = (
            Write(f"flag{me}", "0"),
            *my_turn(my_turn((Set("left", "1"), Break()))),
            Write(f"flag{me}", "1"),
        )
        return two_rounds(
            Write(f"flag{me}", "1"),
            *within_two("ok", Read("f", f"flag{other}"), If("f == 0", (Set("ok", "1"), Break())), *my_turn(give_way)),
            *critical(me + 1),
            Write("turn", str(other)),
            Write(f"flag{me}", "0"),
        )

    return SmallProgram((side(0, 1), side(1, 0)))


def filesystem(n: int) -> SmallProgram:
    def create(tid: int) -> Body:
        def attempt(block: int, tries: int) -> Body:
            taken = (Write(f"busy{block}", "1"), Write(f"inode{tid}", str(block + 1)), Set("done", "1"))
            retry = (If("done == 0", attempt((block + 1) % 26, tries - 1)),) if tries else ()
            return (*within(f"b{block}", Read("busy", f"busy{block}"), If("busy == 0", taken)), *retry)

        return within(f"i{tid}", Read("inode", f"inode{tid}"), If("inode == 0", attempt(tid * 2 % 26, 1)))

    return SmallProgram(tuple(create(tid) for tid in range(n)))


def lastzero(n: int) -> SmallProgram:
    search = (Set("k", str(n)), While("x != 0", (Set("k", "k - 1"),), before=(Read("x", ("a", "k")),)))
    writers = tuple((Read("t", f"a[{j - 1}]"), Write(f"a[{j}]", "t + 1")) for j in range(1, n + 1))
    return SmallProgram((search, *writers))


def readers(n: int) -> SmallProgram:
    return SmallProgram(((Write("x", "42"),), *((Read("a", "x"),),) * n))


def nwr(n: int) -> SmallProgram:
    return SmallProgram((*((Write("x", str(i + 1)),) for i in range(n)), (Read("a", "x"),)))


def lastwrite(n: int) -> SmallProgram:
    return SmallProgram(tuple((Write("x", str(i + 1)),) for i in range(n)), after=(Read("a", "x"),))


def ainc(n: int) -> SmallProgram:
    return SmallProgram((within("lx", *add("x", "1")),) * n)


def casw(n: int) -> SmallProgram:
    """Compare-and-swap is a critical section here; the plain write after it is not."""
    swap = within("c", Read("t", "x"), If("t == 0", (Write("x", "1"),)))
    return SmallProgram(tuple((*swap, Write("x", str(i + 3))) for i in range(n)))


def locked(n: int) -> SmallProgram:
    return SmallProgram((within("m", *add("v", "1")),) * n)


def racyc(n: int) -> SmallProgram:
    return SmallProgram((add("v", "1"),) * n)


def indexer(n: int) -> SmallProgram:
    def insert(w: int, h: int, tries: int) -> Body:
        retry = (If("seen != 0", insert(w, (h + 1) % 128, tries - 1)),) if tries else ()
        cell = f"tab[{h}]"
        return (*within(f"s{h}", Read("seen", cell), If("seen == 0", (Write(cell, str(w)),))), *retry)

    def words(tid: int) -> Body:
        return tuple(s for m in range(1, 5) for s in insert(m * 11 + tid, (m * 11 + tid) * 7 % 128, 4))

    return SmallProgram(tuple(words(tid) for tid in range(n)))


@dataclass(frozen=True, slots=True)
class Reference:
    """A program with known counts; ``large`` ones take the oracle too long."""

    make: Callable[[], SmallProgram]
    maz: int | None = None
    rf: int | None = None
    large: bool = False


REFERENCES: dict[str, Reference] = {
    "Counter(1)": Reference(lambda: counter(1), 4, 3),
    "Counter(2)": Reference(lambda: counter(2), 34, 19),
    "Counter(3)": Reference(lambda: counter(3), 328, 141),
    "Counter(4)": Reference(lambda: counter(4), 3334, 1107),
    "RVExample": Reference(rv_example, 1959, 870),
    "Peterson": Reference(peterson, 56, 39),
    "Bakery": Reference(bakery, 250, 221),
    "Dekker": Reference(dekker, 332),
    "Lamport": Reference(lamport, 484),
    "Account(1)": Reference(lambda: account(1), 4, 3),
    "Account(2)": Reference(lambda: account(2), 288, 102),
    "Account(3)": Reference(lambda: account(3), 86400, 11472, large=True),
    "Airline(2)": Reference(lambda: airline(2), 2, 2),
    "Airline(3)": Reference(lambda: airline(3), 6, 6),
    "Airline(4)": Reference(lambda: airline(4), 24, 24),
    "PingPong(2)": Reference(lambda: ping_pong(2), 18, 9),
    "PingPong(3)": Reference(lambda: ping_pong(3), 1233, 193),
    "PingPong(4)": Reference(lambda: ping_pong(4), 237232, 8033, large=True),
    "BubbleSort": Reference(lambda: bubble_sort((4334, 12))),
    "Allocation(4,1,2)": Reference(lambda: allocation(4, 1, 2)),
    "Pool107": Reference(pool_107),
    "Pool107(0, 0)": Reference(lambda: pool_107(0, 0)),
    "AccountDeposits(3)": Reference(lambda: account_deposits(3), 36, 16),
    "AccountWithdrawals(3)": Reference(lambda: account_withdrawals(3), 6, 6),
    "AccountTransfers(3)": Reference(lambda: account_transfers(3), 6, 6),
    "AccountRing(2)": Reference(lambda: account_ring(2)),
    "Example(a)": Reference(lambda: example("a"), 4, 4),
    "Example(b)": Reference(lambda: example("b"), 3, 3),
    "Closing": Reference(closing, None, 3),
    "MessagePassing": Reference(message_passing, 3, 3),
    "StoreBuffering": Reference(store_buffering, 3, 3),
    "StringBuffer": Reference(string_buffer),
    # Tools that report 3 end a run at the deadlock; here the two orders of the accesses before it count as two.
    "TestDeadLock": Reference(dead_lock, 4),
    "WaitNotify": Reference(wait_notify),
    "fib(3)": Reference(lambda: fib_bench(3), 141, 141),
    "fib(4)": Reference(lambda: fib_bench(4), 1107, 1107),
    "fib(3), unjoined": Reference(lambda: fib_unjoined(3), 1698, 1698, large=True),
    "peterson, twice": Reference(peterson_twice, 2420, 2401, large=True),
    "dekker, twice": Reference(dekker_twice, 1599, 1599, large=True),
    "filesystem(14)": Reference(lambda: filesystem(14), large=True),
    "filesystem(16)": Reference(lambda: filesystem(16), large=True),
    "lastzero(2)": Reference(lambda: lastzero(2), 5, 5),
    "lastzero(3)": Reference(lambda: lastzero(3), 12, 12),
    "lastzero(4)": Reference(lambda: lastzero(4), 28, 28),
    "lastzero(5)": Reference(lambda: lastzero(5), 64, 64, large=True),
    "readers(8)": Reference(lambda: readers(8), 256, 256, large=True),
    "nwr(3)": Reference(lambda: nwr(3), 24, 4),
    "nwr(5)": Reference(lambda: nwr(5), 720, 6, large=True),
    "lastwrite(3)": Reference(lambda: lastwrite(3), 6, 3),
    "lastwrite(5)": Reference(lambda: lastwrite(5), 120, 5),
    "ainc(3)": Reference(lambda: ainc(3), 6, 6),
    "casw(2)": Reference(lambda: casw(2)),
    "locked(2)": Reference(lambda: locked(2), 2, 2),
    "locked(3)": Reference(lambda: locked(3), 6, 6),
    "locked(4)": Reference(lambda: locked(4), 24, 24),
    "locked(5)": Reference(lambda: locked(5), 120, 120),
    "racyc(2)": Reference(lambda: racyc(2), 4, 3),
    "racyc(3)": Reference(lambda: racyc(3), 36, 16),
    "racyc(4)": Reference(lambda: racyc(4), 576, 125),
    "racyc(5)": Reference(lambda: racyc(5), 14400, 1296, large=True),
    "indexer(12)": Reference(lambda: indexer(12), 8, 8, large=True),
    "indexer(13)": Reference(lambda: indexer(13), 64, 64, large=True),
}
