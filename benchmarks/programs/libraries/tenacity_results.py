"""Two threads retry one function, and each gets its own result: not if the other one clears its counters."""

# package: tenacity
# include: tenacity
# expect: bug
# shows: stats.clear()

import tenacity
from together import run


@tenacity.retry(stop=tenacity.stop_after_attempt(2), wait=tenacity.wait_none(), reraise=True)
def fetch(answers):
    answer = answers.pop()
    if answer is None:
        raise OSError
    return answer


def test():
    seen = []
    run(lambda: seen.append(fetch(["a", None])), lambda: seen.append(fetch(["b", None])))
    assert sorted(seen) == ["a", "b"]
