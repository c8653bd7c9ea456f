"""`mazurka predict` as its reference describes it: its output and its status."""

from __future__ import annotations

import json
import shutil
from importlib.metadata import distribution
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import pytest
from tests.later import Later

from mazurka.api import predict
from mazurka.errors import MazurkaError
from mazurka.predict.kinds.registry import ENGINES, KINDS, definition
from mazurka.report.render_json import PREDICT_SCHEMA_PATH

jsonschema = Later("jsonschema")

_TRACES = Path(__file__).resolve().parents[2] / "examples" / "traces"


#: Two threads have a lock at once: no other execution can be derived from this trace.
def _std(*rows: str) -> str:
    """A trace whose rows are THREAD|EVENT."""
    return "\n".join(f"{row}|{line}" for line, row in enumerate(rows, 1))


#: The second thread takes `l` before the first one, which waits then, is logged to have given it back.
_EARLY = _std(
    *("m|fork(a)", "m|fork(b)", "b|acq(l)", "b|w(q)", "b|notify(c)", "b|rel(l)", "b|acq(k)", "b|rel(k)"),
    *("a|acq(k)", "a|acq(l)", "b|acq(l)", "a|r(q)", "a|rel(l)", "a|wait(c)", "b|w(q)", "b|notify(c)", "b|rel(l)"),
    *("a|acq(l)", "a|rel(l)", "a|rel(k)", "b|acq(k)", "b|rel(k)", "a|end()", "b|end()"),
    *("m|join(a)", "m|join(b)", "m|end()"),
)

#: The first thread is logged to have `l` all the time.
_UNSEEN = _std("m|fork(a)", "a|acq(l)", "m|acq(l)", "a|w(x)", "m|w(x)", "m|rel(l)", "a|rel(l)")

_BROKEN = "\n".join(
    f"{thread}|{what}|{line}"
    for line, (thread, what) in enumerate(
        [("a", "acq(l)"), ("b", "acq(l)"), ("b", "w(x)"), ("b", "rel(l)"), ("a", "r(x)"), ("a", "rel(l)")]
    )
)


@pytest.fixture
def traces(shell: Any) -> Any:
    shutil.copytree(_TRACES, shell.folder / "traces")
    return shell


def _report(shell: Any, *arguments: str, status: int = 1) -> Any:
    report = json.loads(shell.run("predict", *arguments, "--format", "json", status=status).stdout)
    jsonschema.Draft202012Validator(json.loads(PREDICT_SCHEMA_PATH.read_text())).validate(report)
    return report


def test_engines_and_kinds_have_the_names_that_they_have() -> None:
    """Users write them in commands and settings, and tools read them."""
    assert list(ENGINES) == ["auto", "hb", "shb", "wcp", "dc", "wdc", "syncp", "seqcheck", "maximal", "edc"]
    assert list(KINDS) == ["race", "deadlock", "atomicity", "order-violation", "call-order"]
    options = ["races", "deadlocks", "atomicity", "order-violations", "call-orders"]
    assert [kind.option for kind in KINDS.values()] == options
    for kind in KINDS:
        assert {"candidates", "claim", "question", "sentence", "ending"} <= set(vars(definition(kind)))


@pytest.mark.parametrize("engine", ["auto", "maximal", "seqcheck"])
def test_a_race_with_its_order(traces: Any, engine: str) -> None:
    report = _report(traces, "traces/resource.std", "--engine", engine)
    (finding,) = report["findings"]
    assert (finding["kind"], finding["events"]) == ("race", [2, 8])
    assert finding["threads"] == ["main", "worker"]
    assert [place["text"] for place in finding["locations"]] == ["resource.c:3", "resource.c:10"]
    assert finding["replayed"] is None
    taken = chain.from_iterable(repeat(thread, number) for thread, number in finding["witness"]["turns"])
    assert list(taken) == ["main", *["worker"] * 3, "main"]
    assert finding["witness"]["unread"] == [6]
    assert report["counts"]["racy_events"] == report["counts"]["race_locations"] == 1
    assert finding["held"] == [[{"lock": "lock", "event": 1}], []]


def test_a_deadlock_in_words(traces: Any) -> None:
    said = traces.run("predict", "traces/transfer.std", "--kind", "deadlocks", status=1).stdout
    assert "deadlock: anna, ben wait for one another" in said
    assert "anna acquires current at transfer.c:11 (event 3)" in said
    assert "1 deadlock\n" in said


def test_partial_orders_alone_say_what_fell(traces: Any) -> None:
    report = _report(traces, "traces/resource.std", "--engine", "hb", status=0)
    assert report["kinds"] == ["race"]
    assert report["findings"] == []
    traces.run("predict", "traces/resource.std", "--engine", "hb", "--kind", "deadlocks", status=2)


def test_suppressions_are_typed_and_unused_ones_told(traces: Any) -> None:
    traces.write("known", "race: location transfer.c:25 *:33  # known\nvariable balance\n")
    report = _report(traces, "traces/transfer.std", "--suppressions", "known", "--kind", "races", status=0)
    assert [rule["findings"] for rule in report["suppressions"]] == [1, 0]
    assert report["counts"]["race_locations"] == 1
    said = traces.run("predict", "traces/transfer.std", "--suppressions", "known", status=1).stdout
    assert "unused suppression in line 2: variable balance" in said


def test_a_trace_that_cannot_be_relied_upon_is_refused_or_mended(traces: Any) -> None:
    traces.write("broken.std", _BROKEN)
    assert "trace-locks" in traces.run("predict", "broken.std", status=2).stderr
    done = traces.run("predict", "broken.std", "--repair", "--format", "json")
    assert done.returncode in (0, 1)
    assert "given up unseen" in done.stderr
    traces.write("early.std", _EARLY)
    done = traces.run("predict", "early.std", "--repair", "--kind", "deadlocks", status=1)
    assert "acquires logged early moved" in done.stderr


def test_what_rests_on_an_assumption_of_a_repair_is_not_counted(traces: Any) -> None:
    traces.write("unseen.std", _UNSEEN)
    report = _report(traces, "unseen.std", "--repair", status=0)
    assert report["findings"] == []
    assert report["counts"]["race_locations"] == 0
    assert [each["kind"] for each in report["unconfirmed"]] == ["race"]
    said = traces.run("predict", "unseen.std", "--repair", "--require-complete", status=3).stdout
    assert "not proven, since a repair assumed an order, and not counted: race" in said


def test_sarif_is_valid(traces: Any) -> None:
    log = json.loads(traces.run("predict", "traces/transfer.std", "--format", "sarif", status=1).stdout)
    schema = Path(str(distribution("linceo").locate_file("linceo/data/sarif-schema-2.1.0.json"))).read_text()
    jsonschema.Draft4Validator(json.loads(schema)).validate(log)
    results = log["runs"][0]["results"]
    assert [result["ruleId"] for result in results] == ["race", "deadlock"]


def test_requests_that_make_no_sense(traces: Any) -> None:
    assert "no-such-file" in traces.run("predict", "nowhere.std", status=2).stderr
    assert "no-such-kind" in traces.run("predict", "traces/resource.std", "--kind", "leaks", status=2).stderr
    traces.run("predict", "traces/resource.std", "--output", "traces", status=2)


@pytest.mark.parametrize(("output", "name"), [("json:report", "report"), ("report.json", "report.json")])
def test_the_format_of_a_file_is_before_its_name_or_its_suffix(
    traces: Any, tmp_path: Path, output: str, name: str
) -> None:
    place = tmp_path / name
    given = output.replace(name, str(place))
    traces.run("predict", "traces/transfer.std", "--output", given, status=1)
    assert json.loads(place.read_text())["schema_version"] == 2


def test_what_is_left_open_is_told(traces: Any) -> None:
    report = _report(
        traces, "traces/resource.std", "--window", "4", "--engine", "maximal", "--require-complete", status=3
    )
    assert report["undecided"] > 0
    assert report["window"] == 4


def test_an_order_violation_in_all_forms(shell: Any) -> None:
    """A place is used before it is there, and after what it is part of is gone; a lock does not help."""
    shell.write(
        "early.std",
        "a|acq(l)|1\na|w(x)|2\na|rel(l)|3\nb|acq(l)|4\nb|r(x)|5\nb|rel(l)|6\nb|w(o.f)|7\na|free(o)|8\n",
    )
    report = _report(shell, "early.std", "--kind", "order-violations")
    assert [each["events"] for each in report["findings"]] == [[7, 6], [4, 1]]
    assert report["counts"]["order_violations"] == 2
    said = shell.run("predict", "early.std", "--kind", "order-violations", status=1).stdout
    assert "order violation 2 of 2: b uses x before a has initialised it" in said
    assert "order violation 1 of 2: b uses o.f after a has freed it" in said
    assert "2 order violations\n" in said
    log = json.loads(
        shell.run("predict", "early.std", "--kind", "order-violations", "--format", "sarif", status=1).stdout
    )
    assert {result["ruleId"] for result in log["runs"][0]["results"]} == {"order-violation"}


#: Who waits for a notification has a lock that the one who would notify needs, unless somebody else does so in time.
_NESTED = """\
main: fork(w) fork(a) fork(b)
w: acq(m) w(y) acq(l) wait(c) rel(l)
b: r(y)
a: acq(l) notify(c) rel(l) end(a)
w: acq(l) rel(l) rel(m) end(w)
b: acq(m) acq(l) notify(c) rel(l) rel(m) end(b)
main: join(w) join(a) join(b) end(main)
"""


def test_a_notification_that_never_comes(shell: Any) -> None:
    lines = [line.split(": ") for line in _NESTED.splitlines()]
    events = [f"{thread}|{event}" for thread, does in lines for event in does.split()]
    shell.write("nested.std", "".join(f"{event}|nested.c:{row}\n" for row, event in enumerate(events)))
    report = _report(shell, "nested.std")
    (finding,) = [each for each in report["findings"] if each["kind"] == "deadlock"]
    assert finding["events"] == [6, 17, 23]
    assert finding["operations"] == ["waits on", "acquires", "joins"]
    said = shell.run("predict", "nested.std", "--kind", "deadlocks", status=1).stdout
    assert "deadlock: w, b, main wait, and no thread is left to go on" in said
    assert "then all wait" in said
    without_end = [event for event in events if event != "a|end(a)" and event != "main|join(a)"]
    shell.write("unknown.std", "".join(f"{event}|nested.c:{row}\n" for row, event in enumerate(without_end)))
    assert _report(shell, "unknown.std", "--kind", "deadlocks", status=0)["findings"] == []


#: Only once notified, and so after b, does a take m: nothing blocks anybody, whether or not requests are told.
_REQUESTED = """\
main: fork(a) fork(b)
a: acq(l) wait(c) rel(l)
b: acq(m) acq(l) notify(c) rel(l) rel(m)
a: req(l) acq(l) acq(m) rel(m) rel(l)
main: join(a) join(b)
"""


_ENDLESS = """\
main: fork(w) fork(b)
w: acq(l) wait(c) rel(l)
b: acq(l) notify(c) rel(l)
w: acq(l) rel(l)
"""


def test_without_ends_a_thread_may_go_on_unless_the_trace_is_complete(shell: Any) -> None:
    lines = [line.split(": ") for line in _ENDLESS.splitlines()]
    shell.write("a.std", "".join(f"{thread}|{event}|\n" for thread, does in lines for event in does.split()))
    said = shell.run("predict", "a.std", status=0)
    assert "threads may go on after the trace, and notify: main, w, b" in said.stderr
    (finding,) = _report(shell, "a.std", "--complete")["findings"]
    assert (finding["operations"], finding["events"]) == (["waits on"], [3])


@pytest.mark.parametrize("told", ["req(l) acq(l)", "acq(l)"])
def test_a_request_does_not_undo_a_wait(shell: Any, told: str) -> None:
    lines = [line.split(": ") for line in _REQUESTED.replace("req(l) acq(l)", told).splitlines()]
    shell.write("a.std", "".join(f"{thread}|{event}|\n" for thread, does in lines for event in does.split()))
    (finding,) = _report(shell, "a.std")["findings"]
    assert finding["operations"] == ["waits on", "joins"]  # the notification may be lost


def test_empty_traces_and_those_of_one_event(shell: Any) -> None:
    shell.write("one.std", "t|w(x)|1")
    assert _report(shell, "one.std", status=0)["events"] == 1
    shell.write("none.std", "")
    assert "none.std: it holds no events" in shell.run("predict", "none.std", status=2).stderr
    shell.write("alone.py", "x = 1")
    shell.run("record", "alone.py", status=0)
    assert (
        _report(shell, "alone.recording", "--kind", "races,deadlocks,atomicity,order-violations", status=0)["events"]
        == 0
    )


def test_from_python_it_is_the_same(traces: Any) -> None:
    traces.write("broken.std", _BROKEN)
    path = traces.folder / "traces" / "transfer.std"
    prediction = predict(path, kinds=("deadlock", "race"))
    said = prediction.data() | {"source": "traces/transfer.std"}
    for report in (said, printed := _report(traces, "traces/transfer.std")):
        del report["seconds"], report["kinds"]
        for stage in report["stages"]:
            del stage["seconds"]
    assert sorted(map(str, said.pop("findings"))) == sorted(map(str, printed.pop("findings")))
    assert sorted(map(str, said.pop("stages"))) == sorted(map(str, printed.pop("stages")))
    assert said == printed
    assert (prediction.counts["deadlocks"], prediction.undecided, prediction.notes) == (1, 0, ())
    assert "anna, ben wait for one another" in str(prediction)
    assert predict(traces.folder / "broken.std", repair=True).notes
    for slug, wrong in (("no-such-engine", {"engine": "fast"}), ("no-such-kind", {"kinds": ("races",)})):
        with pytest.raises(MazurkaError) as refused:
            predict(path, **wrong)
        assert refused.value.slug == slug
    with pytest.raises(MazurkaError):
        predict(traces.folder / "broken.std")
