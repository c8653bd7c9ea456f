"""Two calls fail at the same time; the breaker counts them."""

# package: circuitbreaker
# include: circuitbreaker
# property: lost-update-attribute
# in: circuitbreaker.py
# fails with:
# found by: check

import threading

from circuitbreaker import CircuitBreaker

breaker = CircuitBreaker(failure_threshold=5)


def work():
    try:
        with breaker:
            raise OSError("no answer")
    except OSError:
        pass


threads = [threading.Thread(target=work) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
