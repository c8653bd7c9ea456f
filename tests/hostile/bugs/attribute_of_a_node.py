"""Nodes of two trees share their context."""

import ast
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def a():
    ast.parse("x").body[0].value.ctx.mark = 1


def b():
    assert not hasattr(ast.parse("y").body[0].value.ctx, "mark")


run(a, b)
