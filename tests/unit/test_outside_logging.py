"""Times of records of `logging`: looks at the clock count only if code may look at them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.outside_programs import explored

from mazurka.report.check_report import Verdict

#: Records may be handled in another order than that of their times.
TOLD = {
    "its format has the time": """
        import io
        import logging
        log = logging.getLogger("x")
        log.setLevel(20)
        log.propagate = False
        S = io.StringIO()
        h = logging.StreamHandler(S)
        h.setFormatter(logging.Formatter("%(created).9f"))
        log.addHandler(h)
        def work():
            log.info("a")
        run(work, work)
        l = [float(x) for x in S.getvalue().split()]
        assert l == sorted(l), l
    """,
    "a handler of the program": """
        import io
        import logging
        log = logging.getLogger("x")
        log.setLevel(20)
        log.propagate = False
        R = []
        class H(logging.Handler):
            def emit(self, r):
                R.append(r.created)
        log.addHandler(H())
        def work():
            log.info("a")
        run(work, work)
        assert R == sorted(R)
    """,
    "a filter": """
        import io
        import logging
        log = logging.getLogger("x")
        log.setLevel(20)
        log.propagate = False
        R = []
        class F:
            def filter(self, r):
                R.append(r.__dict__["created"])
                return True
        log.addFilter(F())
        log.addHandler(logging.NullHandler())
        def work():
            log.info("a")
        run(work, work)
        assert R == sorted(R)
    """,
    "a formatter of the program": """
        import io
        import logging
        log = logging.getLogger("x")
        log.setLevel(20)
        log.propagate = False
        class F(logging.Formatter):
            def format(self, r):
                return "%.9f" % r.created
        S = io.StringIO()
        h = logging.StreamHandler(S)
        h.setFormatter(F())
        log.addHandler(h)
        def work():
            log.info("a")
        run(work, work)
        l = [float(x) for x in S.getvalue().split()]
        assert l == sorted(l), l
    """,
    "a class of records": """
        import io
        import logging
        log = logging.getLogger("x")
        log.setLevel(20)
        log.propagate = False
        R = []
        class Rec(logging.LogRecord):
            def __init__(self, *a, **k):
                super().__init__(*a, **k)
                R.append(self.created)
        logging.setLogRecordFactory(Rec)
        log.addHandler(logging.NullHandler())
        def work():
            log.info("a")
        run(work, work)
        assert R == sorted(R)
    """,
    "a handler with another method": """
        import io
        import logging
        log = logging.getLogger("x")
        log.setLevel(20)
        log.propagate = False
        R = []
        h = logging.NullHandler()
        h.handle = lambda r: R.append(r)
        log.addHandler(h)
        def work():
            log.info("a")
        run(work, work)
        t = [r.created for r in R]
        assert t == sorted(t)
    """,
    "a class of loggers": """
        import io
        import logging
        log = logging.getLogger("x")
        log.setLevel(20)
        log.propagate = False
        R = []
        class L(logging.Logger):
            def makeRecord(self, *a, **k):
                r = super().makeRecord(*a, **k)
                R.append(r.created)
                return r
        logging.setLoggerClass(L)
        log = logging.getLogger("y")
        log.setLevel(20)
        log.propagate = False
        log.addHandler(logging.NullHandler())
        def work():
            log.info("a")
        run(work, work)
        assert R == sorted(R)
    """,
    "a queue of records": """
        import io
        import logging
        log = logging.getLogger("x")
        log.setLevel(20)
        log.propagate = False
        R = []
        log.addHandler(logging.NullHandler())
        import logging.handlers, queue
        Q = queue.Queue()
        log.addHandler(logging.handlers.QueueHandler(Q))
        def work():
            log.info("a")
        run(work, work)
        t = [Q.get().created, Q.get().created]
        assert t == sorted(t)
    """,
    "another method of formatters": """
        import io
        import logging
        log = logging.getLogger("x")
        log.setLevel(20)
        log.propagate = False
        S = io.StringIO()
        h = logging.StreamHandler(S)
        log.addHandler(h)
        R = []
        old = logging.Formatter.formatMessage
        def fm(self, r):
            R.append(r.created)
            return old(self, r)
        logging.Formatter.formatMessage = fm
        def work():
            log.info("a")
        run(work, work)
        assert R == sorted(R)
    """,
    "a record of one's own": """
        import io
        import logging
        log = logging.getLogger("x")
        log.setLevel(20)
        log.propagate = False
        R = []
        log.addHandler(logging.NullHandler())
        def rec():
            r = log.makeRecord("x", 20, "f", 1, "m", (), None)
            R.append(r.created)
        def work():
            rec()
        run(work, work)
        assert R == sorted(R)
    """,
}


@pytest.mark.sampled
@pytest.mark.parametrize("name", TOLD)
def test_times_that_are_looked_at(tmp_path: Path, name: str) -> None:
    assert explored(tmp_path, TOLD[name]).verdict is Verdict.VIOLATION


def test_times_that_are_not(tmp_path: Path) -> None:
    source = """
        import io
        import logging
        log = logging.getLogger("x")
        log.setLevel(20)
        log.propagate = False
        stream = io.StringIO()
        log.addHandler(logging.StreamHandler(stream))
        log.isEnabledFor(20)
        def work():
            log.info("one %s", 1)
            log.info("two")
        run(work, work)
        assert sorted(stream.getvalue().split("\\n")) == ["", "one 1", "one 1", "two", "two"]
    """
    result = explored(tmp_path, source, strategy="mcr")
    assert (result.verdict, result.executions) == (Verdict.VERIFIED, 6)


#: Between the look for a handler and its removal another thread may change the list, if not by the logger's methods.
REMOVAL = """
    import io
    import logging
    log = logging.Logger("x")
    handler = logging.StreamHandler(io.StringIO())
    log.addHandler(handler)
    errors = []
    def remove():
        try:
            log.removeHandler(handler)
        except ValueError as error:
            errors.append(error)
    def other():
        {other}
    run(remove, other)
    assert not errors
"""


@pytest.mark.parametrize(
    ("other", "verdict"),
    [
        ("log.handlers.clear()", Verdict.INCONCLUSIVE),
        ("log.handlers = []", Verdict.INCONCLUSIVE),
        ("log.removeHandler(handler)", Verdict.VERIFIED),
        ("log.addHandler(logging.NullHandler())", Verdict.VERIFIED),
        ("len(log.handlers)", Verdict.VERIFIED),
    ],
)
def test_a_handler_is_removed_in_one_step_only_for_methods(tmp_path: Path, other: str, verdict: Verdict) -> None:
    assert explored(tmp_path, REMOVAL.format(other=other)).verdict is verdict


#: Two threads ask for levels of which no record is wanted.
_SWITCHED_OFF = """
    import logging
    log = logging.getLogger("off.of.this")
    def work():
        log.info("a")
        log.debug("b")
        log.info("c")
    run(work, work)
"""

#: ... while a third one sets a level, and empties the cache of the answers.
_SET_MEANWHILE = """
    import logging
    log = logging.getLogger("level.of.this")
    log.setLevel(30)
    log.info("fills the cache")
    seen = []
    def ask():
        level = log.level
        seen.append((level, log.isEnabledFor(20)))
    def choose():
        log.setLevel(20)
    run(ask, choose)
    assert seen[0] {}
"""


@pytest.mark.parametrize("strategy", ["dpor", "mcr", "se-mcr", "unfolding"])
def test_records_that_are_switched_off_order_no_threads(tmp_path: Path, strategy: str) -> None:
    result = explored(tmp_path, _SWITCHED_OFF, strategy=strategy)
    assert result.verdict is Verdict.VERIFIED, str(result)
    assert result.executions == 1


@pytest.mark.parametrize("strategy", ["dfs", "dpor", "mcr", "se-mcr"])
@pytest.mark.parametrize("answer", [(30, False), (30, True), (20, False), (20, True)])
def test_answers_while_a_level_is_set(tmp_path: Path, strategy: str, answer: tuple[int, bool]) -> None:
    """The third: between the assignment and the emptying of the cache."""
    result = explored(tmp_path, _SET_MEANWHILE.format(f"!= {answer}"), strategy=strategy)
    assert result.verdict is Verdict.VIOLATION, str(result)
