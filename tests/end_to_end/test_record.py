"""``mazurka record``: the steps of real threads, as a trace, however the program ends."""

from __future__ import annotations

import csv
import itertools
import json
import marshal
import os
import re
import resource
import signal
import subprocess
import textwrap
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mazurka.trace.invocations import invocations
from mazurka.trace.reading import read_trace

if TYPE_CHECKING:
    from tests.end_to_end.conftest import Shell

_ACCOUNT = """\
    import threading

    class Account:
        def __init__(self):
            self.balance = 0
            self.lock = threading.Lock()
            self.deposits = 0

        def deposit(self, amount):
            with self.lock:
                self.balance += amount
            self.deposits += 1

    account = Account()
    threads = [threading.Thread(target=account.deposit, args=(n,)) for n in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(account.balance)
"""


def _predicted(shell: Shell, recording: str) -> list[dict[str, Any]]:
    done = shell.run("predict", recording, "--format", "json")
    assert done.returncode in (0, 1), done.stderr
    findings: list[dict[str, Any]] = json.loads(done.stdout)["findings"]
    return findings


def test_tasks_are_told_apart_from_threads(shell: Shell) -> None:
    shell.write(
        "pool.py",
        "from concurrent.futures import ThreadPoolExecutor\n"
        "with ThreadPoolExecutor(2) as pool:\n    print(sum(pool.map(abs, range(4))))\n",
    )
    done = shell.run("record", "pool.py")
    assert done.stdout == "6\n"
    assert "(each task of an executor counts as one, too) to pool.recording" in done.stderr


def test_a_race_that_did_no_harm(shell: Shell) -> None:
    shell.write("account.py", _ACCOUNT)
    done = shell.run("record", "account.py")
    assert done.returncode == 0
    assert done.stdout == "3\n"
    assert "events of 3 threads to account.recording" in done.stderr
    assert shell.run("trace", "check", "account.recording").returncode == 0
    races = [each for each in _predicted(shell, "account.recording") if each["kind"] == "race"]
    assert races
    assert {location["line"] for each in races for location in each["locations"]} == {12}


def test_instrumented_code_is_kept(shell: Shell) -> None:
    own = replace(shell, environment={"XDG_CACHE_HOME": "cache", "XDG_STATE_HOME": "state"})
    head, rest = textwrap.dedent(_ACCOUNT).split("account = ")
    own.write("accounts.py", head)
    own.write("program.py", f"import threading\nfrom accounts import *\naccount = {rest}")
    own.run("record", "program.py", status=0)
    kept = set(shell.folder.glob("cache/mazurka/code/*/*.mz"))
    assert kept
    own.run("record", "program.py", "-o", "again", status=0)
    assert set(shell.folder.glob("cache/mazurka/code/*/*.mz")) == kept
    races = [each["kind"] for each in _predicted(own, "again")]
    assert "race" in races


def test_calls_of_marked_methods_are_invocations(shell: Shell) -> None:
    shell.write(
        "table.py",
        """
        import threading
        import mazurka

        @mazurka.linearizable("hash_table", "put", "remove")
        class Table:
            def __init__(self):
                self.lock = threading.Lock()
                self.items = {}

            def put(self, k, v=None):
                with self.lock:
                    old = self.items.get(k)
                    self.items[k] = v
                    return old

            def remove(self, k):
                with self.lock:
                    return self.items.pop(k)

        def work(n):
            table.put(n, v=[n])
            table.put(("k", n))
            try:
                table.remove(k="none")
            except KeyError:
                pass

        table = Table()
        table.put(0, 0)
        threads = [threading.Thread(target=work, args=(n,)) for n in (1, 2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        """,
    )
    for options in ([], ["--values"]):
        shell.run("record", *options, "-o", f"a{len(options)}", "table.py", status=0)
        trace = read_trace(shell.folder / f"a{len(options)}")
        found = [(trace.threads[each.thread], str(each)) for each in invocations(trace)]
        for thread, number in (("0.1", 1), ("0.2", 2)):
            own = [re.sub(r"@\d+", "", told) for name, told in found if name == thread]
            assert own == [
                f"Table#1.put({number}, list) = None",
                f"Table#1.put(('k', {number}), None) = None",
                "Table#1.remove('none') = raised('KeyError')",
            ]
        assert {each.type_name for each in invocations(trace)} == {"hash_table"}
    assert shell.run("check", "table.py").returncode == 0


def test_items_and_locks_are_called_what_people_call_them(shell: Shell) -> None:
    shell.write(
        "flags.py",
        """
import threading

flags, guard = [False] * 9, threading.Lock()

def raise_flags():
    for number in range(9):
        flags[number] = True
    with guard:
        pass

threads = [threading.Thread(target=raise_flags) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
""",
    )
    shell.run("record", "flags.py", status=0)
    said = shell.run("trace", "head", "-n", "99", "flags.recording", status=0).stdout
    assert set(re.findall(r"var (list#1\[.*?\])", said)) == {f"list#1[{number}]" for number in range(9)}
    assert re.search(r"acquire +lock Lock#\d", said)


def test_what_makes_locks_is_used_as_what_it_stands_for(shell: Shell) -> None:
    """From Python 3.13 on `threading.Lock` is a type; it never was a method of a class that has it."""
    shell.write(
        "kinds.py",
        """
import _thread
import sys
import threading

class Pool:
    makes, makes_low, makes_again = threading.Lock, _thread.allocate_lock, threading.RLock

    def __init__(self):
        self.lock, self.low, self.again = self.makes(), self.makes_low(), self.makes_again()
        self.uses = 0

    def use(self):
        with self.lock, self.low, self.again:
            self.uses += 1

pool = Pool()
assert isinstance(pool.again, _thread.RLock) and not isinstance(pool.lock, _thread.RLock), (_thread.RLock | None)
if sys.version_info >= (3, 13):
    assert isinstance(pool.lock, threading.Lock) and not isinstance(pool.again, threading.Lock), (threading.Lock | None)
threads = [threading.Thread(target=pool.use) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
""",
    )
    shell.run("record", "kinds.py", status=0)
    said = shell.run("trace", "head", "-n", "99", "kinds.recording", status=0).stdout
    assert len(re.findall(r"acquire +lock Lock#", said)) == 4
    assert len(re.findall(r"acquire +lock RLock#", said)) == 2
    shell.run("predict", "kinds.recording", status=0)


def test_findings_are_run_on_the_program(shell: Shell) -> None:
    shell.write(
        "bugs.py",
        """\
        import threading
        import time

        class Node:
            pass

        node, first, second = Node(), threading.Lock(), threading.Lock()
        node.link = node
        node.seen = 0

        def look():
            with first, second:
                node.seen += 1
            if node.link is not None:
                node.link.mark = 1

        def cut():
            with second, first:
                node.seen += 1
            node.link = None
            node.link = node

        threads = [threading.Thread(target=look), threading.Thread(target=cut)]
        for thread in threads:
            thread.start()
            time.sleep(0.02)
        for thread in threads:
            thread.join()
        """,
    )
    assert shell.run("record", "bugs.py", "-o", "made").returncode == 0
    kinds = "races,deadlocks,atomicity"
    done = shell.run("predict", "made", "--confirm", "--kind", kinds, "--format", "json", status=1)
    findings = json.loads(done.stdout)["findings"]
    assert {each["kind"] for each in findings} == {"race", "deadlock", "atomicity"}
    assert all(each["replayed"] is True for each in findings)


def test_only_recordings_can_be_confirmed(shell: Shell) -> None:
    shell.write("trace.std", "T1|w(x)|1\nT2|w(x)|2\n")
    done = shell.run("predict", "trace.std", "--confirm", status=2)
    assert "does not name its program" in done.stderr


def test_what_events_and_queues_order_is_no_race(shell: Shell) -> None:
    shell.write(
        "ordered.py",
        """\
        import queue
        import threading
        from concurrent.futures import ThreadPoolExecutor

        ready, done, tasks = threading.Event(), threading.Semaphore(0), queue.Queue()
        condition, flag, box, total = threading.Condition(), [], {}, 0

        def produce():
            global total
            total = 1
            ready.set()
            box["a"] = 1
            tasks.put("a")
            with condition:
                flag.append(1)
                condition.notify()
            box["b"] = 2
            done.release()

        thread = threading.Thread(target=produce)
        thread.start()
        ready.wait()
        total += 1
        box[tasks.get()] += 1
        with condition:
            while not flag:
                condition.wait()
        done.acquire()
        box["b"] += 1
        thread.join()
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(lambda: box["b"] + total).result() == 5
        box["b"] = 0
        """,
    )
    done = shell.run("record", "ordered.py")
    assert done.returncode == 0, done.stderr
    assert _predicted(shell, "ordered.recording") == []


@pytest.mark.parametrize(("end", "status"), [("raise SystemExit(7)", 7), ("1 / 0", 1), ("pass", 0)])
def test_ends_as_the_program_does(shell: Shell, end: str, status: int) -> None:
    shell.write("ends.py", f"import threading\nt = threading.Thread(target=print)\nt.start()\nt.join()\n{end}\n")
    done = shell.run("record", "ends.py", "-o", "made")
    assert done.returncode == status
    assert ("ZeroDivisionError" in done.stderr) == (status == 1)
    assert "events of 2 threads to made" in done.stderr


def test_a_recording_is_not_overwritten(shell: Shell) -> None:
    shell.write("account.py", _ACCOUNT)
    assert shell.run("record", "account.py").returncode == 0
    again = shell.run("record", "account.py")
    assert again.returncode == 2
    assert "account.recording: it exists already" in again.stderr
    assert again.stdout == ""


def test_a_killed_recorder_loses_one_segment_at_most(shell: Shell) -> None:
    shell.write(
        "endless.py",
        """\
        import threading

        class Counter:
            value = 0

        counter = Counter()

        def count():
            while True:
                counter.value += 1

        for _ in range(2):
            threading.Thread(target=count).start()
        """,
    )
    recorder = shell.start("record", "endless.py")
    segments = shell.folder / "endless.recording"
    while len(list(segments.glob("*.raw"))) < 2:
        assert recorder.poll() is None
        time.sleep(0.05)
    recorder.send_signal(signal.SIGKILL)
    recorder.communicate()
    whole = len(list(segments.glob("*.raw")))
    (segments / "columns" / "parts").mkdir(parents=True)  # as a process leaves it that was killed while finishing
    (segments / "columns" / "parts" / "000000.parquet").write_bytes(b"")
    (segments / "000000.parquet").write_bytes(b"")
    done = shell.run("record", "--finish", "endless.recording")
    assert done.returncode == 0, done.stderr
    assert len(list(segments.glob("*.parquet"))) == whole
    assert shell.run("trace", "check", "endless.recording").returncode == 0
    assert "(endless.py:10)" in shell.run("trace", "head", "endless.recording", "-n", "100").stdout
    (segments / "000000.raw").write_bytes(b"")  # or when all but this was done
    (segments / "finished.json").write_text('{"recorded": 7, "threads": 3, "events": 5, "misread": 0}')
    assert "recorded 7 events" in shell.run("record", "--finish", "endless.recording", status=0).stderr
    assert len(list(segments.glob("*"))) == whole + 1


def test_a_full_disk_stops_the_recording_and_not_the_program(shell: Shell) -> None:
    shell.write(
        "long.py",
        """\
        import threading

        values = [0] * 10

        def work():
            for i in range(60_000):
                values[i % 10] = i

        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print("done")
        """,
    )
    done = subprocess.run(
        shell.command("mazurka", "record", "long.py"),
        cwd=shell.folder,
        env=shell.variables(),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "done\n"
    assert done.returncode == 2
    assert "could be written" in done.stderr
    assert os.listdir(shell.folder / "long.recording")


def test_what_is_no_recording(shell: Shell, tmp_path: Path) -> None:
    done = shell.run("record", "--finish", str(tmp_path))
    assert done.returncode == 2
    assert "this is no recording" in done.stderr
    (tmp_path / "recording.json").write_text("{}")
    (tmp_path / "000000.raw").write_bytes(marshal.dumps(["not", "ours"]))
    done = shell.run("record", "--finish", str(tmp_path))
    assert done.returncode == 2
    assert "000000.raw, byte 0: this is no segment of a recording" in done.stderr


def _rows(shell: Shell, recording: str) -> list[tuple[str, str, str]]:
    """Thread, operation, and target with the value if there is one, of each event."""
    done = shell.run("trace", "head", recording, "-n", "10000", status=0)
    lines = [line.split("  (")[0] for line in done.stdout.splitlines() if line.strip()[:1].isdigit()]
    return [(thread, op, target.strip()) for _, thread, op, target in (line.split(None, 3) for line in lines)]


def test_increments_of_numbers_decide_nothing(shell: Shell) -> None:
    """A branch follows every other read: what it gave may decide what its thread does next."""
    idle = ["s.n += 1", "d['a'] -= two()", "total *= 3", "s.deep.n |= 1", "s.shown += 1", "few[0] += 1"]
    deciding = [
        *("s.half += 0.5", "s.divided //= 2", "s.text += 'a'", "s.plain = s.plain + 1", "s.own += s.own"),
        *(
            "s.tested = 2 if s.tested else 1",
            "counts['new'] += 1",
            "seeing.n += 1",
            "s.me.me = s",
            "s.set += 1",
            "s.other += 1",
            "more[0] += 1",
            "more.append(0)",
        ),
    ]
    body = "".join(f"            {each}\n" for each in (*idle, *deciding))
    shell.write(
        "many.py",
        f"""\
        import collections
        import threading

        class Place:
            shown = other = 0

        class Seeing:
            n = 0

            def __setattr__(self, name, value):
                if value < 9:
                    vars(self)[name] = value

        def two():
            return 2

        s, seeing, d, counts, total = Place(), Seeing(), {{"a": 1}}, collections.Counter(), 1
        s.n = s.half = s.divided = s.plain = s.own = s.tested = s.set = 1
        s.text, s.me, s.deep = "", s, Place()
        s.deep.n, few, more = 0, [1], [1]

        def work():
            global total
{body}
        for _ in range(2):
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
            s.set = 1
            Place.other = 1
        """,
    )
    shell.run("record", "many.py", status=0)
    assert shell.run("trace", "check", "many.recording", status=0)
    rows = [row for row in _rows(shell, "many.recording") if row[0] == "0.2"]
    free = {one[2] for one, other in itertools.pairwise(rows) if one[1] == "read" and other[1] != "branch"}
    places = ("Place#1.n", "dict#1['a']", "__main__.total", "Place#2.n", "Place#1.shown", "list#1[0]")
    assert free == {f"var {each}" for each in places}


def test_a_lost_update_is_foreseen(shell: Shell) -> None:
    shell.write("account.py", _ACCOUNT)
    shell.run("record", "account.py", status=0)
    done = shell.run("predict", "account.recording", "--kind", "atomicity", "--confirm", "--format", "json", status=1)
    (found,) = json.loads(done.stdout)["findings"]
    assert found["replayed"] is True
    assert [location["line"] for location in found["locations"]] == [12, 12, 12]


_ALL_KINDS = """\
    import collections
    import collections.abc
    import functools
    import math
    import random
    import threading

    class Meta(type):
        pass

    class Made(metaclass=Meta):
        pass

    class Base:
        shared = 0

        def method(self):
            return self.shared

    class Slotted:
        __slots__ = ("a",)

    class Own(dict):
        def __missing__(self, key):
            return key

    class Text(str):
        pass

    class Key(tuple):
        kept = None

        def __hash__(self, of=tuple.__hash__):
            if self.kept is None:
                self.kept = of(self)
            return self.kept

    class Group(collections.abc.Sequence):
        def __init__(self, *members):
            self.members = members

        def __getitem__(self, index):
            return self.members[index]

        def __len__(self):
            return len(self.members)

    Pair = collections.namedtuple("Pair", "one other")
    keyed, lock = {}, threading.RLock()
    text, names, ordered = Text("text"), [], collections.OrderedDict()
    text.kept = 1
    base, slotted, own = Base(), Slotted(), Own()
    many, drawn = {n: n for n in range(70)}, random.Random(1)
    make_pair, call_method = functools.partial(Pair, names), functools.partial(functools.partial(base.method))
    items, table, unique, cells = [1, 2, 3], {"a": 1, 2: 3}, {1, 2}, {}
    total = 0
    make_error, get_item = functools.partial(KeyError, items), functools.partial(dict.get, table)
    print_nothing = functools.partial(print, end="")

    def use():
        global total, names
        count = 0
        def bump():
            nonlocal count
            count += 1
        total += 1
        slotted.a = base.shared
        base.shared += 1
        base.own = getattr(base, "own", 0) + 1
        base.method()
        items[0] += items[-1]
        items.append(len(items))
        table["a"] += 1
        table[("t", total)] = own[total]
        own[1] = table.get("b")
        base.__dict__["direct"] = total
        for each in items:
            if each in unique or unique:
                bump()
        while cells and cells.popitem():
            pass
        cells[items[1]] = cells.setdefault(7, 1)
        del table["a"]
        table["a"] = sum(table.values()) if None not in table.values() else 0
        for key, value in list(table.items()):
            bump()
        [each for each in (1, 2)]
        assert not any(each < 0 for each in items)
        for index, each in enumerate(items):
            ordered[("t", index)] = each
        for value in ordered.values():
            names.append(str(value))
        for key in unique | {len(names)}:
            ordered.pop(("t", key), None)
        for name in iter(names):
            pass
        next(iter(names))
        names.extend(["a", "b"])
        ",".join(names)
        f"{','.join(names)} {text} {items}"
        Base.other = Base.shared
        math.seen = getattr(math, "seen", 0) + math.pi
        base.pair = (*items, base)
        base.pair == (base.pair, names)
        names += (base.other,) and ["c"]
        for key in (Key(items[:1]), Key((base, total)), (1, "a"), (1, names[0]), 1.5, frozenset((1, 2))):
            keyed[key] = keyed.get(key, 0) + 1
            keyed[key] = key in keyed
        with lock, lock:
            group = Group(items, Pair(names, KeyError(items, table, base)))
        group.count(items)
        tuple.__hash__(Key((1, base)))
        lock.acquire(timeout=1)
        lock.release()
        lock.acquire(False)
        lock.release()
        ValueError(), ValueError("a"), ValueError([names, group]), ValueError(group), threading.local()
        mixed = (1, 2.0, None, ("t", 0), ("t", total), Key((1, total)), frozenset((1, 2)))
        for key in ("a", *mixed):
            for each in (many, ordered, table) if key != "a" else (many, vars(base)):
                each.get(key)
                each.setdefault(key, total)
                each[key] = total
                each.keys(), each.values(), each.items()
                each.pop(key)
                each.pop(key, None)
        ordered["last"] = ordered["first"] = names
        ordered.move_to_end("last")
        ordered.move_to_end("last", False)
        for each in (list(ordered), [*many], set(table)):
            bump()
        KeyError(Key((1, base))), KeyError((1, base)), Exception(text, key), ValueError(Made())
        make_pair(base), call_method(), make_error(table), get_item("a"), print_nothing()
        drawn.randrange(5), drawn.choice(items), drawn.shuffle(items)
        "a b".split(), "x".replace("x", "y"), "{}".format(names), "{0.shared}".format(base)
        ",".join([text]), text.upper()
        b"x".decode(), str.join(",", names), "%s" % (text,), repr(text), repr(base.pair), str(many)
        math.made = Made
        math.made(), math.made
        try:
            raise KeyError(key)
        except KeyError as error:
            error.args
        copied = [*map(str, many)], dict(many), list(many.items())

    for _ in range(3):
        thread = threading.Thread(target=use)
        thread.start()
        thread.join()
"""


def test_what_a_class_has_and_nobody_stores_is_left_out_until_somebody_does(shell: Shell) -> None:
    """Reads before the store, of which nothing was told, stay before it in all other orders; those after it do not."""
    shell.write(
        "late.py",
        """\
        import os
        import threading
        import time

        class Flags:
            limit = 1

        class Further(Flags):
            pass

        flags = Further()

        def wait_for(name):  # which no recorder sees
            while not os.path.exists(name):
                time.sleep(0.01)

        def read():
            flags.limit
            Flags.limit
            open("read", "w").close()
            wait_for("stored")
            flags.limit
            Flags.limit

        def write():
            wait_for("read")
            setattr(Flags, "li" + "mit", 5)
            setattr(flags, "li" + "mit", 6)
            open("stored", "w").close()

        threads = [threading.Thread(target=each) for each in (read, write)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        """,
    )
    shell.run("record", "late.py", status=0)
    rows = _rows(shell, "late.recording")
    stores = [place for place, (_, op, target) in enumerate(rows) if op == "write" and "limit" in target]
    reads = [place for place, (_, op, target) in enumerate(rows) if op == "read" and "limit" in target]
    assert min(reads) > max(stores)
    meetings = [target for thread, op, target in rows[: stores[0]] if thread == "0.1" and "stored" in target]
    assert len(meetings) == 1
    assert ("0.2", "rmw", meetings[0]) in rows[: stores[0]]
    races = [each for each in _predicted(shell, "late.recording") if each["kind"] == "race"]
    assert {each["line"] for race in races for each in race["locations"]} == {22, 28}


def test_values_change_nothing_but_values(shell: Shell) -> None:
    """Without, most events come by quicker ways."""
    shell.write("kinds.py", _ALL_KINDS)
    shell.run("record", "kinds.py", "-o", "plain", status=0)
    with_values = shell.run("record", "kinds.py", "-o", "told", "--values", status=0)
    assert "not written last" not in with_values.stderr
    assert "Traceback" not in with_values.stderr
    plain, told = ([row for row in _rows(shell, each) if "hidden" not in row[2]] for each in ("plain", "told"))
    assert len(plain) > 100
    for name in {thread for thread, _, _ in plain}:
        without = [(op, target.partition(" = ")[0]) for thread, op, target in told if thread == name]
        assert without == [(op, target) for thread, op, target in plain if thread == name]
    assert any(" = " in target for _, _, target in told)


def test_whatever_threads_are_made_of(shell: Shell) -> None:
    shell.write(
        "many.py",
        """\
        import _thread
        import asyncio
        import sys
        import threading
        import time

        import mazurka

        class Shared:
            total = 0

        shared, lock, local, ready = Shared(), threading.Lock(), threading.local(), mazurka.atomic(0)

        class Worker(threading.Thread):
            def run(self):
                local.mine = 1
                local.mine += 1
                with lock:
                    shared.total += local.mine

        def numbers():
            for i in range(3):
                shared.seen = i
                yield i

        async def add():
            await asyncio.sleep(0)
            shared.sum = getattr(shared, "sum", 0) + 1

        async def together():
            await asyncio.gather(add(), add())

        def fails():
            shared.failed = 1
            raise ValueError("as usual")

        def exits():
            shared.exited = 1
            sys.exit(3)

        def tells():
            shared.told = 1
            ready.fetch_add(1)

        targets = [lambda: asyncio.run(together()), lambda: list(numbers()), fails, exits, tells]
        threads = [Worker(), *[threading.Thread(target=each) for each in targets]]
        for thread in threads:
            thread.start()
        while not ready.load():
            pass
        shared.told += 1
        for thread in threads:
            thread.join()
        done = _thread.allocate_lock()
        done.acquire()

        def low():
            shared.low = 1
            done.release()

        _thread.start_new_thread(low, ())
        with done:
            shared.low += 1

        def forever():
            while True:
                shared.beat = 1
                time.sleep(0.001)

        threading.Thread(target=forever, daemon=True).start()
        time.sleep(0.01)
        print(shared.low, shared.total, shared.sum, shared.seen)
        """,
    )
    done = shell.run("record", "many.py", status=0)
    assert done.stdout == "2 2 2 2\n"
    assert "ValueError: as usual" in done.stderr
    assert "SystemExit" not in done.stderr
    check = shell.run("trace", "check", "many.recording", status=0)
    assert "without having been started" not in check.stdout
    assert _predicted(shell, "many.recording") == []
    rows = _rows(shell, "many.recording")
    ended = {target for _, op, target in rows if op == "end"}
    assert {target for _, op, target in rows if op == "fork"} - ended == {"thread 0.8"}


def test_a_child_is_not_recorded(shell: Shell) -> None:
    shell.write(
        "forks.py",
        """\
        import os
        import threading
        import warnings

        warnings.simplefilter("ignore")
        count = [0]

        def add():
            count[0] += 1

        def start():
            thread = threading.Thread(target=add)
            thread.start()
            thread.join()

        start()
        child = os.fork()
        if child:
            os.waitpid(child, 0)
        start()
        print(count[0])
        """,
    )
    done = shell.run("record", "forks.py", status=0)
    assert done.stdout == "2\n2\n"
    assert done.stderr.count("recorded") == 1
    assert len([op for _, op, _ in _rows(shell, "forks.recording") if op == "fork"]) == 2


def test_leaving_at_once_finishes_the_recording(shell: Shell) -> None:
    shell.write("leaves.py", _ACCOUNT + "    import os\n    os._exit(5)\n")
    assert shell.run("record", "leaves.py").returncode == 5
    assert _predicted(shell, "leaves.recording")


def test_an_interrupt_finishes_the_recording(shell: Shell) -> None:
    shell.write(
        "waits.py",
        """\
        import threading
        import time

        beats = [0]

        def beat():
            while True:
                beats[0] += 1
                time.sleep(0.001)

        for _ in range(2):
            threading.Thread(target=beat, daemon=True).start()
        print("started", flush=True)
        while True:  # a signal just before a call that sleeps does not end that
            time.sleep(0.1)
        """,
    )
    recorder = shell.start("record", "waits.py")
    assert recorder.stdout is not None
    assert recorder.stdout.readline() == "started\n"
    time.sleep(0.05)
    recorder.send_signal(signal.SIGINT)
    _, told = recorder.communicate(timeout=30)
    assert recorder.returncode == 130
    assert "KeyboardInterrupt" in told
    assert "of 3 threads" in told
    assert _predicted(shell, "waits.recording")


def test_a_program_that_is_stuck_can_be_ended_and_who_waits_for_whom_is_told(shell: Shell) -> None:
    shell.write(
        "stuck.py",
        """\
        import threading

        one, other = threading.Lock(), threading.RLock()
        both = threading.Barrier(2)

        def take(first, second):
            with first:
                both.wait()
                print("started\\n", end="", flush=True)
                with second:
                    pass

        threading.Thread(target=take, args=(one, other)).start()
        threading.Thread(target=take, args=(other, one)).start()
        """,
    )
    recorder = shell.start("record", "stuck.py")
    assert recorder.stdout is not None
    for _ in range(2):
        assert recorder.stdout.readline() == "started\n"
    time.sleep(0.2)
    recorder.send_signal(signal.SIGTERM)
    _, told = recorder.communicate(timeout=30)
    assert recorder.returncode == 143
    assert "interrupted; recorded" in told
    assert "thread 0.1 waits for a lock at stuck.py:10, which thread 0.2 took at stuck.py:7" in told
    assert "thread 0.2 waits for a lock at stuck.py:10, which thread 0.1 took at stuck.py:7" in told
    assert _predicted(shell, "stuck.recording") == []  # it has happened


@pytest.mark.parametrize("limit", ["", "60"])
def test_waits_and_notifications_unless_time_runs_out(shell: Shell, limit: str) -> None:
    """A lock that is held when the first thread is started is told, too, and a join that need not have waited."""
    shell.write(
        "waits.py",
        f"""\
        import threading

        ready, flag = threading.Condition(), []

        def produce():
            with ready:
                flag.append(1)
                ready.notify(1)

        with ready:
            thread = threading.Thread(target=produce)
            thread.start()
            while not flag:
                ready.wait({limit})
        thread.join({limit})
        """,
    )
    assert shell.run("record", "waits.py").returncode == 0
    assert shell.run("trace", "check", "waits.recording").stdout.endswith("well-formed\n")
    shell.run("convert", "waits.recording", "waits.csv")
    ops = [(row["op"], row["kind"]) for row in csv.DictReader((shell.folder / "waits.csv").read_text().splitlines())]
    if limit:
        assert ("rmw", "hidden") in ops
        assert not [op for op, kind in ops if kind == "cond" or op == "join"]
    else:
        here = ops.index(("wait", "cond"))
        assert ops[here + 1] == ("release", "lock")
        assert [op for op, kind in ops if kind == "cond"] == ["wait", "notify"]
    assert _predicted(shell, "waits.recording") == []


def test_a_notification_that_another_order_loses_is_run_on_the_program(shell: Shell) -> None:
    """In the run recorded the reader waits in time, and nothing is wrong with how the others wait."""
    shell.write(
        "letters.py",
        """\
        import threading
        import time

        arrived, right, letters, bills = threading.Condition(), threading.Condition(), [], []

        def look():
            if not letters:
                with arrived:
                    arrived.wait()

        def pay():
            with right:
                while not bills:
                    right.wait()

        readers = [threading.Thread(target=look), threading.Thread(target=pay)]
        for reader in readers:
            reader.start()
        time.sleep(0.2)
        letters.append("hello")
        with arrived:
            arrived.notify()
        with right:
            bills.append(1)
            right.notify_all()
        for reader in readers:
            reader.join()
        """,
    )
    assert shell.run("record", "letters.py").returncode == 0
    done = shell.run("predict", "letters.recording", "--confirm", "--kind", "deadlocks", "--format", "json", status=1)
    (finding,) = json.loads(done.stdout)["findings"]
    assert finding["operations"] == ["waits on", "joins"]
    assert [place["line"] for place in finding["locations"]] == [9, 27]
    assert finding["replayed"] is True


def test_keyword_arguments_go_where_they_belong(shell: Shell) -> None:
    shell.write(
        "keywords.py",
        """
import threading

class Box:
    def keep(self, thing, name, site=0, function=0, run=0):
        self.kept = (thing, name, site, function, run)

box, table = Box(), {}

def work():
    box.keep(thing=1, name="x", site=2, function=3, run=4)
    table.update(thing=1, name=2)

threads = [threading.Thread(target=work) for _ in range(2)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(box.kept, table)
""",
    )
    done = shell.run("record", "keywords.py")
    assert (done.returncode, done.stdout) == (0, "(1, 'x', 2, 3, 4) {'thing': 1, 'name': 2}\n"), done.stderr
