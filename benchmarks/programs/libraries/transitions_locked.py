"""A machine with a lock takes events one by one."""

# package: transitions
# include: transitions
# expect: correct

from together import run
from transitions.extensions import LockedMachine


class Model:
    def __init__(self):
        self.turns = 0

    def count(self):
        self.turns += 1


def test():
    model = Model()
    machine = LockedMachine(model, states=["on", "off"], initial="on")
    machine.add_transition("turn", "on", "off", after="count")
    machine.add_transition("turn", "off", "on", after="count")
    run(model.turn, model.turn)
    assert model.turns == 2
    assert model.state == "on"
