"""A generator of random numbers is a state."""

import random
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


dice = random.Random(3)
first = random.Random(3).random()
drawn = {}


def draw(name):
    drawn[name] = dice.random()


run(lambda: draw("a"), lambda: draw("b"))
assert drawn["a"] == first
