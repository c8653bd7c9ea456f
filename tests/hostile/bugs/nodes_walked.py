"""The nodes of a shared tree are changed while another thread goes through them."""

import ast
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def a():
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = "z"


def b():
    assert "z" not in ast.dump(tree)


tree = ast.parse("x + y")
run(a, b)
