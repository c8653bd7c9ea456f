"""Two threads call one retried function; each looks at how many attempts its own call took."""

# package: tenacity
# include: tenacity
# expect: bug
# shows: stats.clear()

import tenacity
from together import run


@tenacity.retry(stop=tenacity.stop_after_attempt(3), wait=tenacity.wait_none())
def fetch(failures):
    if failures:
        raise OSError(failures.pop())
    return "done"


def test():
    attempts = {}

    def call(name, failures):
        assert fetch(failures) == "done"
        attempts[name] = fetch.statistics["attempt_number"]

    run(lambda: call("lucky", []), lambda: call("unlucky", ["refused"]))
    assert attempts == {"lucky": 1, "unlucky": 2}, attempts
