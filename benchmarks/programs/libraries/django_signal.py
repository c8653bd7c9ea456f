"""Two threads send a signal, which a receiver hears each time."""

# package: Django
# include: django
# expect: correct

from django.conf import settings
from django.dispatch import Signal
from together import run

settings.configure()


def test():
    signal, heard = Signal(), []

    def hear(sender, **named):
        heard.append(sender)

    signal.connect(hear)
    run(lambda: signal.send(sender="one"), lambda: signal.send(sender="two"))
    assert sorted(heard) == ["one", "two"]
