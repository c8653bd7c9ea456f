"""Two failures open a breaker."""

# package: pybreaker
# include: pybreaker
# expect: correct

import pybreaker
from together import run


def refuse():
    raise OSError


def test():
    breaker = pybreaker.CircuitBreaker(fail_max=2)

    def call():
        try:
            breaker.call(refuse)
        except (OSError, pybreaker.CircuitBreakerError):
            pass

    run(call, call)
    assert breaker.current_state == "open"
