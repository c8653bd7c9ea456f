import logging

import pytest

from depot.jobs import Gate, JobQueue, Pool, first_of, squares
from depot.running import in_threads


def test_jobs_in_their_order():
    with JobQueue() as jobs:
        jobs.add(abs, -1)
        jobs.add(max, 2, 3)
    assert jobs.results == [1, 3]


def test_a_job_that_fails(caplog):
    with JobQueue() as jobs:
        jobs.add(divmod, 1, 0)
        jobs.add(abs, -1)
    assert jobs.results == [1]
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert "a job failed" in caplog.text


@pytest.mark.parametrize("size", [1, 2])
def test_pool(size):
    pool = Pool(size)

    def use():
        with pool as connection:
            assert 0 <= connection < size

    in_threads(use, use)
    assert pool.most <= size


def test_squares():
    assert squares([1, 2, 3]) == [1, 4, 9]


def test_first_of():
    assert first_of(lambda: "a", lambda: "b") in ("a", "b")


@pytest.mark.timeout(60)
def test_gate():
    gate = Gate()
    in_threads(gate.open_safely, gate.wait_safely)
    assert gate.is_open


@pytest.mark.timeout(60)
def test_missed():  # a missed notification
    gate = Gate()
    in_threads(gate.open, gate.wait)
    assert gate.is_open


def test_nobody_opens():
    assert not Gate().next_change(0.001)
