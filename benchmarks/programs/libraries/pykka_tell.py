"""An actor handles the messages of two threads one by one."""

# package: pykka
# include: pykka
# expect: correct

import pykka
from together import run


class Adder(pykka.ThreadingActor):
    def __init__(self):
        super().__init__()
        self.total = 0

    def on_receive(self, message):
        self.total += message
        return self.total


def test():
    adder = Adder.start()
    run(lambda: adder.tell(1), lambda: adder.tell(2))
    assert adder.ask(0) == 3
    adder.stop()
