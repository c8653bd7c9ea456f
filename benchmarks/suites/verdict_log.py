"""A pytest plugin: writes down Mazurka's verdict on each test when the test is over, so that a session that is stopped
leaves its verdicts so far. The file is named by the environment variable SUITE_VERDICTS; a line is a JSON list of the
test, the seconds, the outcome, and the verdict with its reason (empty: not explored)."""

import json
import os
from pathlib import Path

from mazurka.pytest_plugin.outcomes import PROPERTY

_FILE = Path(os.environ["SUITE_VERDICTS"])


def pytest_runtest_logreport(report):
    if report.when != "call":
        return
    said = [value for name, value in report.user_properties if name == PROPERTY]
    with _FILE.open("a") as stream:
        stream.write(json.dumps([report.nodeid, report.duration, report.outcome, said[0] if said else ""]) + "\n")
