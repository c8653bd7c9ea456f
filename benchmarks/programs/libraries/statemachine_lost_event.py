"""Two threads send an event each: both are processed by the time both calls have returned."""

# package: python-statemachine
# include: statemachine
# expect: bug
# shows: acquire(blocking=False)

from statemachine import State, StateMachine
from together import run


class Counter(StateMachine):
    counting = State(initial=True)
    tick = counting.to.itself(on="count")

    def __init__(self):
        self.ticks = 0
        super().__init__()

    def count(self):
        self.ticks += 1


def test():
    machine = Counter()
    run(machine.tick, machine.tick)
    assert machine.ticks == 2, machine.ticks
