"""A receiver is connected while a signal is sent."""

# package: blinker
# include: blinker
# expect: correct

import blinker
from together import run


def test():
    signal = blinker.Signal()
    seen = []

    def receiver(sender):
        seen.append(sender)

    run(lambda: signal.connect(receiver), lambda: signal.send("early"))
    assert seen in ([], ["early"])
    signal.send("late")
    assert seen[-1] == "late"
