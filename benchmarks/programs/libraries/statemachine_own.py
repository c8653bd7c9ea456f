"""Each thread has a machine of its own."""

# package: python-statemachine
# include: statemachine
# expect: correct

from statemachine import State, StateMachine
from together import run


class Light(StateMachine):
    red = State(initial=True)
    green = State(final=True)
    go = red.to(green)


def test():
    seen = []

    def work():
        light = Light()
        light.go()
        seen.append(light.green.is_active)

    run(work, work)
    assert seen == [True, True]
