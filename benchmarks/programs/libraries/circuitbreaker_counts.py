"""Two threads fail: the breaker counts two failures."""

# package: circuitbreaker
# include: circuitbreaker
# expect: bug
# shows: _failure_count

from circuitbreaker import CircuitBreaker
from together import run


def refuse():
    raise OSError


def test():
    breaker = CircuitBreaker(failure_threshold=5)

    def call():
        try:
            breaker.call(refuse)
        except OSError:
            pass

    run(call, call)
    assert breaker.failure_count == 2, breaker.failure_count
