"""A random generator is seeded by one thread between two draws of another one."""

import random
import threading

numbers = random.Random(3)
drawn = []


def draw():
    drawn.append(numbers.random())
    drawn.append(numbers.random())


def seed():
    numbers.seed(3)


threads = [threading.Thread(target=each) for each in (draw, seed)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert drawn[0] != drawn[1]
