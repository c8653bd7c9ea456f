"""A machine without a lock: both threads leave the state that one may leave."""

# package: transitions
# include: transitions
# expect: bug
# shows: state

from together import run
from transitions import Machine, MachineError


class Order:
    def __init__(self):
        self.paid = 0

    def pay_once(self):
        self.paid += 1


def test():
    order = Order()
    machine = Machine(order, states=["new", "paid"], initial="new")
    machine.add_transition("pay", "new", "paid", before="pay_once")

    def pay():
        try:
            order.pay()
        except MachineError:
            pass

    run(pay, pay)
    assert order.paid == 1, order.paid
