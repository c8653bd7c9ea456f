"""Two threads retry with their own state."""

# package: backoff
# include: backoff
# expect: correct

import backoff
from together import run


@backoff.on_exception(backoff.constant, OSError, max_tries=2, interval=0, jitter=None)
def fetch(answers):
    answer = answers.pop()
    if answer is None:
        raise OSError
    return answer


def test():
    seen = []
    run(lambda: seen.append(fetch(["a", None])), lambda: seen.append(fetch(["b", None])))
    assert sorted(seen) == ["a", "b"]
