"""A module is executed again while another thread reads its variables."""

import colorsys
import importlib
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def a():
    importlib.reload(colorsys)


def b():
    one = colorsys.rgb_to_hsv
    assert one is colorsys.rgb_to_hsv


run(a, b)
