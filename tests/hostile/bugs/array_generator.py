"""A NumPy generator is a state: who draws first gets the first number."""

import threading

import numpy


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


dice = numpy.random.default_rng(3)
first = numpy.random.default_rng(3).random()
drawn = {}


def draw(name):
    drawn[name] = dice.random()


run(lambda: draw("a"), lambda: draw("b"))
assert drawn["a"] == first
