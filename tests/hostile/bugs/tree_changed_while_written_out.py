"""A syntax tree, whose nodes are objects in C, is turned into text between two changes to its nodes."""

import ast
import threading

tree = ast.parse("a + b")
texts = []


def write_out():
    texts.append(ast.unparse(tree))


def rename():
    tree.body[0].value.left.id = "x"
    tree.body[0].value.right.id = "y"


threads = [threading.Thread(target=each) for each in (write_out, rename)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert texts != ["x + b"]
