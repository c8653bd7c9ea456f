"""State of the process: a thread sees the values that another one sets, and none of them outlasts an execution."""

from __future__ import annotations

import atexit
import gc
import locale
import logging
import os
import random
import signal
import socket
import sys
import warnings
from pathlib import Path

import pytest
from tests.unit.outside_programs import explored

from mazurka.report.check_report import Verdict

#: Programs that fail if another thread comes in between.
RACES = {
    "two views of the environment": """
        import os
        os.environ["MAZURKA_COUNT"] = "0"
        def work():
            os.environ["MAZURKA_COUNT"] = str(int(os.environ["MAZURKA_COUNT"]) + 1)
        def other():
            os.environb[b"MAZURKA_COUNT"] = b"%d" % (int(os.environb[b"MAZURKA_COUNT"]) + 1)
        run(work, other)
        assert os.environ["MAZURKA_COUNT"] == "2"
    """,
    "warned of before": """
        import warnings
        warnings.simplefilter("default")
        seen = []
        warnings.showwarning = lambda *args: seen.append(threading.current_thread().name)
        def work():
            warnings.warn("again")
        threads = [threading.Thread(target=work, name=each) for each in "ab"]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert seen == ["a"]
    """,
    "lines of the input": """
        import io, sys
        sys.stdin = io.StringIO("a\\nb\\n")
        got = {}
        def work(key):
            got[key] = input()
        run(lambda: work("a"), lambda: work("b"))
        assert got == {"a": "a", "b": "b"}
    """,
    "callbacks of the collector": """
        import gc
        seen = []
        def change():
            gc.callbacks.append(lambda phase, info: seen.append(phase))
        run(change, gc.collect)
        gc.callbacks.pop()
        assert not seen
    """,
    "folder for temporary files": """
        import tempfile
        before = tempfile.tempdir = tempfile.gettempdir()
        def change():
            tempfile.tempdir = "/"
            tempfile.tempdir = before
        def look():
            assert tempfile.gettempdir() == before
        run(change, look)
    """,
    "a logger's level": """
        import logging
        logger = logging.getLogger("mazurka-levels")
        def change():
            logger.level = 50
            logger.level = 0
        def look():
            assert logger.getEffectiveLevel() == logging.WARNING
        run(change, look)
    """,
    "identifiers given again": """
        seen = set()
        def work():
            seen.add(threading.get_ident())
        run(work, work)
        assert len(seen) == 2
    """,
    "working directory": """
        import os
        def work(folder):
            os.chdir(folder)
            assert os.getcwd() == folder
        run(lambda: work("/"), lambda: work("/usr"))
    """,
    "a relative path": """
        import os
        os.chdir("/")
        def look():
            if os.path.exists("usr"):
                assert os.path.isdir("usr")
        run(lambda: os.chdir("/usr"), look)
    """,
    "umask": """
        import os
        def work(mask):
            os.umask(mask)
            assert os.umask(mask) == mask
        run(lambda: work(0o22), lambda: work(0o77))
    """,
    "environment": """
        import os
        os.environ["MAZURKA_COUNT"] = "0"
        def work():
            os.environ["MAZURKA_COUNT"] = str(int(os.environ["MAZURKA_COUNT"]) + 1)
        run(work, work)
        assert os.environ["MAZURKA_COUNT"] == "2"
    """,
    "keys of the environment": """
        import os
        def work():
            before = len(os.environ)
            os.environ["MAZURKA_NEW"] = "x"
            assert len(os.environ) == before + 1
            del os.environ["MAZURKA_NEW"]
        run(work, work)
    """,
    "default timeout of sockets": """
        import socket
        def work(seconds):
            socket.setdefaulttimeout(seconds)
            assert socket.getdefaulttimeout() == seconds
        run(lambda: work(1), lambda: work(2))
    """,
    "recursion limit": """
        import sys
        def work(limit):
            sys.setrecursionlimit(limit)
            assert sys.getrecursionlimit() == limit
        run(lambda: work(3000), lambda: work(4000))
    """,
    "switch interval": """
        import sys
        def work(seconds):
            sys.setswitchinterval(seconds)
            assert sys.getswitchinterval() == seconds
        run(lambda: work(0.25), lambda: work(0.5))
    """,
    "automatic collection": """
        import gc
        def work():
            gc.disable()
            assert not gc.isenabled()
            gc.enable()
        run(work, work)
    """,
    "thresholds of the collector": """
        import gc
        def work(count):
            gc.set_threshold(count, 5, 5)
            assert gc.get_threshold()[0] == count
        run(lambda: work(500), lambda: work(600))
    """,
    "locale": """
        import locale
        def work(name):
            locale.setlocale(locale.LC_CTYPE, name)
            assert locale.setlocale(locale.LC_CTYPE) == name
        run(lambda: work("C"), lambda: work("C.UTF-8"))
    """,
    "filters of warnings": """
        import warnings
        warnings.simplefilter("ignore")
        def work():
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                try:
                    warnings.warn("x")
                except UserWarning:
                    return
                assert False, "the filter is gone"
        run(work, work)
    """,
    "handlers of loggers": """
        import logging
        seen = []
        class Handler(logging.Handler):
            def emit(self, record):
                seen.append(record.getMessage())
        logger = logging.getLogger("mazurka-test")
        logger.propagate = False
        handler = Handler()
        logger.addHandler(handler)
        run(lambda: logger.error("x"), lambda: logger.removeHandler(handler))
        assert seen == ["x"]
    """,
    "level of loggers": """
        import logging
        logger = logging.getLogger("mazurka-test")
        def work(level):
            logger.setLevel(level)
            assert logger.isEnabledFor(level) and not logger.isEnabledFor(level - 1)
        run(lambda: work(20), lambda: work(40))
    """,
    "shared generator": """
        import random
        def work(seed):
            random.seed(seed)
            first = random.random()
            random.seed(seed)
            assert first == random.random()
        run(lambda: work(1), lambda: work(2))
    """,
    "draws of the shared generator": """
        import random
        random.seed(1)
        expected = [random.randint(1, 10**9), random.randint(1, 10**9)]
        random.seed(1)
        drawn = {}
        def work(name):
            drawn[name] = random.randint(1, 10**9)
        run(lambda: work(0), lambda: work(1))
        assert drawn[0] == expected[0]
    """,
    "seeded while another draws": """
        import random
        drawn = []
        def work():
            random.seed(5)
            drawn.append(random.choice(range(10**9)))
        run(work, lambda: random.choice([1, 2]))
        random.seed(5)
        assert drawn == [random.choice(range(10**9))]
    """,
    "the state of the generator put back": """
        import random
        def work():
            state = random.getstate()
            first = random.random()
            random.setstate(state)
            assert first == random.random()
        run(work, random.random)
    """,
    "the half of a pair that gauss keeps": """
        import random
        random.seed(3)
        first = random.gauss(0, 1)
        random.seed(3)
        drawn = {}
        def work(name):
            drawn[name] = random.gauss(0, 1)
        run(lambda: work(0), lambda: work(1))
        assert drawn[0] == first
    """,
}

#: Programs that never fail.
CORRECT = {
    "a variable of the environment, set by two threads": """
        import os
        def work():
            os.environ["MAZURKA_COUNT"] = "1"
        run(work, work)
        assert os.environ["MAZURKA_COUNT"] == "1"
    """,
    "identifiers of threads that are there": """
        lock, there = threading.Lock(), set()
        def work():
            me = threading.get_ident()
            with lock:
                assert me not in there
                there.add(me)
            with lock:
                there.remove(me)
        run(work, work)
    """,
    "one thread after the other": """
        import codecs, sys
        seen = []
        def work():
            seen.append(threading.get_ident())
        run(work)
        run(work)
        sys.setrecursionlimit(2000)
        codecs.register_error("mazurka", codecs.strict_errors)
        assert len(seen) == 2
    """,
    "getters alone": """
        import gc, locale, os, signal, socket, sys
        def work():
            os.getcwd(), os.environ.get("PATH"), socket.getdefaulttimeout(), sys.getrecursionlimit()
            assert gc.isenabled()
            signal.getsignal(signal.SIGTERM), locale.localeconv(), gc.get_threshold()
        run(work, work)
    """,
    "set under a lock": """
        import os
        lock = threading.Lock()
        def work(folder):
            with lock:
                os.chdir(folder)
                assert os.getcwd() == folder
        run(lambda: work("/"), lambda: work("/usr"))
    """,
    "logging": """
        import logging
        logger = logging.getLogger("mazurka-test")
        logger.addHandler(logging.NullHandler())
        logger.propagate = False
        run(lambda: logger.error("x"), lambda: logger.error("y"))
        assert len(logger.handlers) == 1, "handlers of earlier executions"
    """,
    "signals are the main thread's": """
        import signal
        told = []
        def work():
            try:
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
            except ValueError:
                told.append(1)
        run(work, work)
        assert told == [1, 1]
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    """,
}


#: State that code in C reads without a step.
UNSEEN = {
    "recursion limit": "import sys\nrun(int, lambda: sys.setrecursionlimit(2000))",
    "limit of digits": "import sys\nrun(int, lambda: sys.set_int_max_str_digits(700))",
    "time zone": "import time\nrun(int, time.tzset)",
    "locale": "import locale\nrun(int, lambda: locale.setlocale(locale.LC_ALL, 'C'))",
    "environment": "import os\nrun(int, lambda: os.putenv('NEW_VARIABLE', 'x'))",
    "registry of codecs": "import codecs\nrun(int, lambda: codecs.register_error('mazurka', codecs.strict_errors))",
    "registry of copyreg": "import copyreg\nrun(int, lambda: copyreg.pickle(type(run), repr))",
    "warnings filters": "import warnings\nrun(int, lambda: warnings.simplefilter('error'))",
    "resource limits": """
        import resource
        limits = resource.getrlimit(resource.RLIMIT_CORE)
        run(int, lambda: resource.setrlimit(resource.RLIMIT_CORE, limits))
    """,
    "decimal.DefaultContext": """
        import decimal
        run(int, lambda: decimal.DefaultContext.clear_flags())
    """,
    "the foreign function getenv": """
        import ctypes
        library = ctypes.CDLL(None)
        run(int, lambda: library.getenv(b"HOME"))
    """,
}


@pytest.mark.sampled
@pytest.mark.parametrize("name", UNSEEN)
def test_what_nobody_sees_is_untracked(tmp_path: Path, name: str) -> None:
    result = explored(tmp_path, UNSEEN[name])
    assert result.verdict is Verdict.INCONCLUSIVE, str(result)
    assert name in str(result)


def test_threads_that_may_last_count_although_they_have_ended(tmp_path: Path) -> None:
    source = """
        import sys
        thread = threading.Thread(target=lambda: str(10**1000))
        thread.start()
        {}
        sys.set_int_max_str_digits(700)
        thread.join()
    """
    assert explored(tmp_path, source.format("")).verdict is Verdict.INCONCLUSIVE
    assert explored(tmp_path, source.format("thread.join()")).verdict is Verdict.VERIFIED


@pytest.mark.parametrize("call", ["os.nice(1)", "os.setpgid(0, 0)", "sys.addaudithook(print)"])
def test_what_could_not_be_undone_is_not_done(tmp_path: Path, call: str) -> None:
    before = os.getpgid(0), os.nice(0)
    result = explored(tmp_path, f"import os, sys\n{call}\nassert False")
    assert result.verdict is Verdict.INCONCLUSIVE, str(result)
    assert (os.getpgid(0), os.nice(0)) == before


@pytest.mark.sampled
@pytest.mark.parametrize("name", RACES)
@pytest.mark.parametrize("strategy", [pytest.param("dfs", marks=pytest.mark.long), "mcr"])
def test_races_are_found(tmp_path: Path, name: str, strategy: str) -> None:
    result = explored(tmp_path, RACES[name], strategy=strategy)
    assert result.verdict is Verdict.VIOLATION, str(result)


@pytest.mark.sampled
@pytest.mark.parametrize("name", CORRECT)
@pytest.mark.parametrize("strategy", [pytest.param("dfs", marks=pytest.mark.long), "mcr"])
def test_no_more_than_that(tmp_path: Path, name: str, strategy: str) -> None:
    result = explored(tmp_path, CORRECT[name], strategy=strategy)
    assert result.verdict is Verdict.VERIFIED, str(result)


def test_what_one_thread_has_to_itself_costs_no_executions(tmp_path: Path) -> None:
    source = """
        import os
        def alone():
            for folder in ("/", "/usr", "/"):
                os.chdir(folder)
                os.umask(0o77)
        run(alone, lambda: None)
    """
    assert explored(tmp_path, source, strategy="dfs").executions == 1


def test_imports_of_modules_that_are_there_are_no_conflicts(tmp_path: Path) -> None:
    source = """
        import importlib
        def work():
            importlib.import_module("json").dumps([1])
        run(work, work)
    """
    result = explored(tmp_path, source, strategy="dfs")
    assert (result.verdict, result.executions) == (Verdict.VERIFIED, 1)


@pytest.mark.parametrize("isolation", ["restore", "fork"])
def test_nothing_outlasts_an_execution(tmp_path: Path, isolation: str) -> None:
    source = """
        import atexit, gc, locale, logging, os, random, signal, socket, sys, warnings
        def work():
            pass
        os.chdir("/")
        os.umask(0o123)
        os.environ["MAZURKA_LEFT"] = "x"
        os.environ.pop("PATH", None)
        signal.signal(signal.SIGUSR1, signal.SIG_IGN)
        socket.setdefaulttimeout(3.5)
        sys.setrecursionlimit(3210)
        gc.set_threshold(123, 4, 5)
        gc.disable()
        locale.setlocale(locale.LC_CTYPE, "C")
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "nothing")
        logging.getLogger("mazurka-left").addHandler(logging.StreamHandler())
        logging.disable(10)
        atexit.register(print, "left")
        run(work, work)
    """

    def state() -> tuple[object, ...]:
        mask = os.umask(0o22)
        os.umask(mask)
        return (
            *(os.getcwd(), mask, dict(os.environ), signal.getsignal(signal.SIGUSR1), socket.getdefaulttimeout()),
            *(sys.getrecursionlimit(), gc.get_threshold(), gc.isenabled(), locale.setlocale(locale.LC_CTYPE)),
            *(list(warnings.filters), "mazurka-left" in logging.root.manager.loggerDict, logging.root.manager.disable),
            *(atexit._ncallbacks(), random.random.__name__),  # type: ignore[attr-defined]  # of CPython
        )

    before = state()
    assert explored(tmp_path, source, strategy="mcr", isolation=isolation).verdict is Verdict.VERIFIED
    assert state() == before
