"""Two threads connect receivers of two signals: both make the table of the sender that has none yet."""

# package: PyDispatcher
# include: pydispatch
# expect: bug
# shows: connections

from pydispatch import dispatcher
from together import run


def test():
    seen = []

    def first(sender):
        seen.append(1)

    def second(sender):
        seen.append(2)

    run(
        lambda: dispatcher.connect(first, signal="one", sender=dispatcher.Any),
        lambda: dispatcher.connect(second, signal="two", sender=dispatcher.Any),
    )
    dispatcher.send("one", sender="x")
    dispatcher.send("two", sender="x")
    assert seen == [1, 2]
    dispatcher.disconnect(first, signal="one", sender=dispatcher.Any)
    dispatcher.disconnect(second, signal="two", sender=dispatcher.Any)
