"""Three philosophers each take the left fork first."""

import threading

forks = [threading.Lock() for _ in range(3)]


def eat(left, right):
    with left, right:
        pass


threads = [threading.Thread(target=eat, args=(forks[each], forks[(each + 1) % 3])) for each in range(3)]
for each in threads:
    each.start()
for each in threads:
    each.join()
