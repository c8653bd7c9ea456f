"""Peterson's algorithm: mutual exclusion by plain loads and stores. Right, unless stores may reach memory late.

mazurka check examples/peterson.py                      # verified
mazurka check examples/peterson.py --memory-model tso   # both threads get in
"""

import threading


class Peterson:
    """A lock for threads 0 and 1."""

    def __init__(self):
        self.wants = [False, False]
        self.turn = 0

    def acquire(self, me):
        other = 1 - me
        self.wants[me] = True
        self.turn = other
        while self.wants[other] and self.turn == other:
            pass

    def release(self, me):
        self.wants[me] = False


lock = Peterson()
inside = 0


def visit(me):
    global inside
    lock.acquire(me)
    inside += 1
    assert inside == 1, "both are inside"
    inside -= 1
    lock.release(me)


threads = [threading.Thread(target=visit, args=(me,)) for me in (0, 1)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
