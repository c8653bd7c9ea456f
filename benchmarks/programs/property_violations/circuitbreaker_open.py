"""A thread asks whether all breakers are closed, while another one makes a breaker."""

# package: circuitbreaker
# include: circuitbreaker
# property: unsafe-view-iteration
# in: circuitbreaker.py
# fails with: RuntimeError: dictionary changed size during iteration

import threading

from circuitbreaker import CircuitBreaker, CircuitBreakerMonitor, circuit


def main():
    for name in ("orders", "payments"):
        CircuitBreaker(name=name).decorate(len)
    threads = [
        threading.Thread(target=CircuitBreakerMonitor.all_closed),
        threading.Thread(target=circuit(name="stock"), args=(len,)),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


main()
