"""Peterson's algorithm with the fence that TSO asks for: a thread's announcement reaches memory before it looks.

mazurka check examples/peterson_fixed.py --memory-model tso   # verified
"""

import threading

import mazurka


class Peterson:
    """A lock for threads 0 and 1."""

    def __init__(self):
        self.wants = [False, False]
        self.turn = 0

    def acquire(self, me):
        other = 1 - me
        self.wants[me] = True
        self.turn = other
        mazurka.fence()
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
