"""A pytest plugin: writes down the tests that start threads, one a line, into the file that the environment variable
SUITE_THREADS names. Fixtures do not count."""

import os
import threading
from pathlib import Path

import pytest

_FILE = Path(os.environ["SUITE_THREADS"])
_start = threading.Thread.start


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item):
    started = []

    def start(thread):
        started.append(thread)
        _start(thread)

    threading.Thread.start = start
    yield
    threading.Thread.start = _start
    if started:
        with _FILE.open("a") as stream:
            stream.write(f"{item.nodeid}\n")
