"""Functions with a cache: each result is a location, its look-up and its store are steps."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.outside_programs import explored

from mazurka.report.check_report import Verdict

#: Programs that fail in some order.
FAILING = {
    "computed by both": """
        import functools
        n = 0
        @functools.lru_cache
        def f(x):
            nonlocal n
            n += 1
            return object()
        r = []
        def work():
            r.append(f(1))
        run(work, work)
        assert r[0] is r[1]
    """,
    "stored after the last step": """
        import functools
        done = False
        @functools.cache
        def f():
            nonlocal done
            v = object()
            done = True
            return v
        a = []
        def first():
            a.append(f())
        def second():
            if done:
                v = f()
                assert f() is v
                a.append(v)
        run(first, second)
        assert len(set(map(id, a))) <= 1, "computed twice"
    """,
    "numbers of hits": """
        import functools
        @functools.lru_cache
        def f(x):
            return x
        def a():
            f(1)
        def b():
            f(1)
            assert f.cache_info().misses == 1
        run(a, b)
        assert f.cache_info().hits == 1
    """,
    "thrown out": """
        import functools
        calls = []
        @functools.lru_cache(maxsize=2)
        def f(x):
            calls.append(x)
            return x
        def a():
            f(1)
            f(1)
        def b():
            f(2)
            f(3)
        run(a, b)
        assert calls.count(1) == 1
    """,
    "cleared": """
        import functools
        calls = []
        @functools.lru_cache
        def f(x):
            calls.append(x)
            return x
        def a():
            f(1)
            f(1)
        def b():
            f.cache_clear()
        run(a, b)
        assert len(calls) == 1
    """,
    "a method, with names": """
        import functools
        class A:
            def __init__(self):
                self.n = 0
            @functools.lru_cache
            def f(self, x, *, y=1):
                self.n += 1
                return [x]
        a = A()
        def w():
            a.f(1, y=2)
        run(w, w)
        assert a.n == 1
    """,
    **{
        f"called by a function in C, {call}": f"""
        import functools
        n = 0
        @functools.cache
        def f(x):
            nonlocal n
            n += 1
            return x
        def w():
            {call}
        run(w, w)
        assert n == 1
    """
        for call in (
            "sorted([1], key=f)",
            "list(map(f, [1]))",
            "functools.partial(f, 1)()",
            "functools.reduce(lambda a, b: f(b), [1, 1])",
        )
    },
    "keys with an equality of their own": """
        import functools
        class K:
            def __init__(self, v):
                self.v = v
            def __eq__(self, o):
                return self.v == o.v
            def __hash__(self):
                return hash(self.v)
        n = 0
        @functools.cache
        def f(x):
            nonlocal n
            n += 1
            return x
        def w():
            f(K(1))
        run(w, w)
        assert n == 1
    """,
    "filled before, and cleared": """
        import functools
        n = 0
        @functools.lru_cache(None)
        def f(x):
            nonlocal n
            n += 1
            return x
        f(1)
        f(2)
        def a():
            f(1)
            f(2)
        def b():
            f.cache_clear()
        run(a, b)
        assert n != 3
    """,
    "the first call fails": """
        import functools
        n = 0
        @functools.cache
        def f(x):
            nonlocal n
            n += 1
            if n == 1:
                raise KeyError
            return n
        got = []
        def a():
            try:
                got.append(f(1))
            except KeyError:
                got.append(f(1))
        run(a, a)
        assert got == [2, 2]
    """,
    "full before": """
        import functools
        calls = []
        @functools.lru_cache(maxsize=3)
        def f(x):
            calls.append(x)
            return x
        f(0)
        f(1)
        def a():
            f(0)
            f(5)
        def b():
            f(1)
            f(6)
        run(a, b)
        f(0)
        assert calls.count(0) == 1
    """,
}

#: Programs that never fail, and how many executions show that.
CORRECT = {
    "there before": (
        1,
        """
        import functools
        @functools.lru_cache
        def f(x):
            return x * 2
        f(1)
        f("a")
        def work():
            assert f(1) == 2
            assert f("a") == "aa"
        run(work, work)
        """,
    ),
    "under a lock": (
        2,
        """
        import functools
        lock = threading.Lock()
        calls = []
        @functools.cache
        def f(x):
            calls.append(x)
        def work():
            with lock:
                f(1)
        run(work, work)
        assert len(calls) == 1
        """,
    ),
    "different arguments": (
        1,
        """
        import functools
        @functools.lru_cache
        def f(x):
            return x
        run(lambda: f(1), lambda: f(2))
        """,
    ),
    "of the standard library": (
        1,
        """
        import urllib.parse
        def work():
            assert urllib.parse.urlsplit("http://host/").netloc == "host"
        run(work, work)
        """,
    ),
}


@pytest.mark.sampled
@pytest.mark.parametrize("strategy", ["auto", pytest.param("dfs", marks=pytest.mark.long)])
@pytest.mark.parametrize("name", FAILING)
def test_failing(tmp_path: Path, name: str, strategy: str) -> None:
    assert explored(tmp_path, FAILING[name], strategy=strategy).verdict is Verdict.VIOLATION


@pytest.mark.sampled
@pytest.mark.parametrize("name", CORRECT)
def test_correct(tmp_path: Path, name: str) -> None:
    executions, source = CORRECT[name]
    result = explored(tmp_path, source)
    assert (result.verdict, result.executions) == (Verdict.VERIFIED, executions)
