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


#: Two threads, of which one writes a record and the other changes what its text depends on.
_TEXT = """
    import io
    import logging
    import threading
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logging.Formatter("%(name)s %(levelname)s %(threadName)s %(message)s"))
    log = logging.getLogger("x")
    log.setLevel(20)
    log.propagate = False
    log.addHandler(handler)
    LATE.stream = stream
    class Deciding(logging.Filter):
        def filter(self, record):
            return record.created < 1
    def write():
        threading.current_thread().name = "W"
        log.info("m %d", 1)
    def change():
        {change}
    run(write, change)
    assert stream.getvalue() not in {texts}, stream.getvalue()
"""

#: A handler that is older than a run.
_LATE = """
import logging

class Late(logging.Handler):
    def emit(self, record):
        if record.created < 1:
            self.stream.write("created at no time")
        self.stream.write(record.threadName)

LATE = Late()
"""

_UNCHANGED = "x INFO W m 1\n"

#: The changes, and the texts that come of them.
_CHANGES = {
    "log.name = 'y'": "y INFO W m 1\n",
    "logging.addLevelName(20, 'L')": "x L W m 1\n",
    "logging._levelToName[20] = 'L'": "x L W m 1\n",
    "logging._levelToName.update({20: 'L'})": "x L W m 1\n",
    "handler.formatter._style = logging.PercentStyle('%(message)s')": "m 1\n",
    "handler.formatter._style._fmt = '%(message)s'": "m 1\n",
    "handler.formatter = logging.Formatter('%(processName)s %(filename)s')": "MainProcess outside_subject.py\n",
    "handler.terminator = '!'": "x INFO W m 1!",
    "log.addHandler(LATE)": "x INFO W m 1\nW",
    "log.handlers.append(LATE)": "x INFO W m 1\nW",
    "log.addFilter(Deciding())": "",
    "handler.filters.append(Deciding())": "",
}


@pytest.mark.sampled
@pytest.mark.parametrize("change", _CHANGES)
def test_records_depend_on_what_other_threads_change(tmp_path: Path, change: str) -> None:
    texts = (_UNCHANGED, _CHANGES[change])
    for text in texts:
        result = explored(tmp_path, _TEXT.format(change=change, texts=(text,)), _LATE)
        assert result.verdict is Verdict.VIOLATION, (text, result)
    assert explored(tmp_path, _TEXT.format(change=change, texts=()), _LATE).verdict is not Verdict.VIOLATION
    for strategy in ("dpor", "mcr"):
        source = _TEXT.format(change=change, texts=()).replace("not in ()", f"in {texts}")
        assert explored(tmp_path, source, _LATE, strategy=strategy).verdict is not Verdict.VIOLATION


def test_records_have_all_attributes(tmp_path: Path) -> None:
    """Code of the stream finds the record that is being written."""
    source = """
        import logging
        import sys
        import threading
        found = []
        class Stream:
            def write(self, text):
                frame = sys._getframe()
                while "record" not in frame.f_locals:
                    frame = frame.f_back
                found.append((text, frame.f_locals["record"]))
            def flush(self):
                pass
        log = logging.getLogger("x")
        log.setLevel(20)
        log.propagate = False
        log.addHandler(logging.StreamHandler(Stream()))
        def work():
            log.warning("%s is %d", "a", 1)
        run(work, work)
        for text, record in found:
            assert text == "a is 1\\n"
            assert vars(record).keys() - {"message"} == vars(logging.makeLogRecord({})).keys()
            assert (record.module, record.funcName) == ("outside_subject", "work"), vars(record)
            assert (record.processName, record.levelno, record.exc_info) == ("MainProcess", 30, None)
            assert record.created > 1e9 and 0 <= record.msecs < 1000
            assert record.threadName.startswith("Thread-") and record.getMessage() == "a is 1"
        assert len({record.thread for _, record in found}) == 2
    """
    assert explored(tmp_path, source, strategy="dpor").verdict is Verdict.VERIFIED


#: Three threads that are alike write records with their names.
_NAMED = """
    import io
    import logging
    stream = io.StringIO()
    handler = logging.StreamHandler({stream})
    handler.setFormatter(logging.Formatter("%(threadName)s %(message)s"))
    log = logging.getLogger("named")
    log.setLevel(20)
    log.propagate = False
    log.addHandler(handler)
    shared = [0]
    def work():
        shared[0] += 1
        log.info("m %d", shared[0])
    def change():
        {change}
    run(work, work, work, {fourth})
    assert {wanted}
"""


@pytest.mark.parametrize("strategy", ["auto", "dpor", "icb-dpor"])
def test_names_that_nobody_can_read_tell_no_threads_apart(tmp_path: Path, strategy: str) -> None:
    source = _NAMED.format(stream="", wanted="1 <= shared[0] <= 3", change="pass", fourth="")
    few = explored(tmp_path, source, strategy=strategy)
    assert few.verdict is Verdict.VERIFIED
    source = source.replace("StreamHandler()", "StreamHandler(stream)")
    most = explored(tmp_path, source, strategy="dpor", max_executions=4 * few.executions)
    assert most.verdict is Verdict.INCONCLUSIVE, (few.executions, most.executions)


@pytest.mark.parametrize("strategy", ["auto", "dpor", "mcr", "icb-dpor", "unfolding"])
@pytest.mark.parametrize("change", ["", "handler.setStream(stream)", "handler.stream = stream"])
def test_names_that_can_be_read(tmp_path: Path, strategy: str, change: str) -> None:
    stream, fourth = ("", "change") if change else ("stream", "")
    wanted = "stream.getvalue()[:8] != 'Thread-3'"
    source = _NAMED.format(stream=stream, wanted=wanted, change=change or "pass", fourth=fourth)
    assert explored(tmp_path, source, strategy=strategy).verdict is Verdict.VIOLATION


#: A logger gets another one above it while a record of it is handled.
_ABOVE = """
    import logging
    log = logging.getLogger("above.it")
    log.setLevel(20)
    logging.getLogger().addHandler(logging.NullHandler())
    import io
    LATE.stream = io.StringIO()
    def write():
        log.info("m")
    def change():
        {change}
    run(write, change)
    assert {wanted}
"""


@pytest.mark.parametrize("wanted", ["LATE.stream.getvalue()", "not LATE.stream.getvalue()"])
@pytest.mark.parametrize("strategy", ["auto", "dpor", "mcr", "unfolding"])
@pytest.mark.parametrize(
    "change", ["logging.getLogger('above').addHandler(LATE)", "logging.getLogger('above').handlers.append(LATE)"]
)
def test_another_logger_comes_above(tmp_path: Path, strategy: str, wanted: str, change: str) -> None:
    assert (
        explored(tmp_path, _ABOVE.format(wanted=wanted, change=change), _LATE, strategy=strategy).verdict
        is Verdict.VIOLATION
    )


#: Code of the program makes a part of a record's text.
_SPOKEN = """
    import io
    import logging
    shared = [0]
    class Named:
        def __str__(self):
            return f"n{{shared[0]}}"
    stream = io.StringIO()
    defaults = {{"who": Named()}}
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logging.Formatter("%(who)s %(message)s", defaults=defaults))
    log = logging.getLogger("spoken")
    log.setLevel(20)
    log.propagate = False
    log.addHandler(handler)
    def write():
        log.info("m")
    def change():
        {change}
    run(write, change)
    assert stream.getvalue() != {text!r}
"""


@pytest.mark.parametrize("strategy", ["auto", "dpor", "mcr"])
@pytest.mark.parametrize(
    ("change", "text"),
    [
        ("shared[0] = 1", "n0 m\n"),
        ("shared[0] = 1", "n1 m\n"),
        ("defaults['who'] = 'x'", "n0 m\n"),
        ("defaults['who'] = 'x'", "x m\n"),
        ("handler.formatter._style.format = lambda record: f's{shared[0]}'", "s0\n"),
    ],
)
def test_formats_with_code_of_the_program(tmp_path: Path, strategy: str, change: str, text: str) -> None:
    source = _SPOKEN.format(change=change, text=text)
    assert explored(tmp_path, source, strategy=strategy).verdict is Verdict.VIOLATION
