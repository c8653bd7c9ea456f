"""The course of a search: few samples, whatever its length, and the time of each phase."""

from __future__ import annotations

from mazurka.report.search_history import MOST, SearchRecorder


def test_samples_stay_few_and_end_with_the_last() -> None:
    recorder = SearchRecorder(started=0.0)
    for number in range(10_000):
        recorder._apart = min(recorder._apart, 1e-9)  # as if each took long
        recorder.sample(number, 3, 0, None, 0)
    samples = recorder.history().samples
    assert len(samples) <= MOST + 1
    assert samples[-1].executions == 9_999
    assert [each.seconds for each in samples] == sorted(each.seconds for each in samples)
    assert [each.executions for each in samples] == sorted(each.executions for each in samples)


def test_close_samples_are_left_out() -> None:
    recorder = SearchRecorder()
    recorder._apart = 1e9
    for number in range(5):
        recorder.sample(number, 1, 0, 9.0, 2)
    assert [each.executions for each in recorder.history().samples] == [0, 4]


def test_phases_add_up() -> None:
    recorder = SearchRecorder()
    for phase in ("search", "explaining", "search"):
        recorder.begins(phase)
    phases = dict(recorder.history().phases)
    assert list(phases) == ["search", "explaining"]
    assert min(phases.values()) >= 0
