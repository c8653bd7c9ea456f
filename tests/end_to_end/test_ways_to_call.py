"""Modules that are run as by ``python -m``, and programs that are called in a wrong way, which is no failure."""

from __future__ import annotations

import sys

import pytest

CART = """\
class Cart:
    def __init__(self): self.items = {}
    def add(self, name):
        if name not in self.items:
            self.items[name] = 0
        self.items[name] += 1
"""

MAIN = """\
import sys, threading
from . import cart as carts
from .cart import Cart

assert (__name__, __package__, sys.argv[0]) == ("__main__", "shop", __file__), (__package__, sys.argv)
assert carts is sys.modules["shop.cart"]
cart, number = Cart(), int(sys.argv[1])
threads = [threading.Thread(target=cart.add, args=("tea",)) for _ in range(number)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert cart.items["tea"] == number, cart.items
"""

ARGUMENTS = """\
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("n")
parser.parse_args()
"""


def write(shell) -> None:
    shell.write("shop/__init__.py", "")
    shell.write("shop/cart.py", CART)
    shell.write("shop/__main__.py", MAIN)
    shell.write("shop/other.py", MAIN)


@pytest.mark.parametrize("module", ["shop", "shop.other"])
def test_a_module_is_checked_recorded_and_replayed(shell, module):
    write(shell)
    found = shell.run("check", "-m", module, "--", "2", status=1).stdout
    assert "Check-then-act" in found
    assert "shop/cart.py" in found
    (failure,) = (shell.folder / ".mazurka" / "failures").glob("*.json")
    assert "reproduced" in shell.run("replay", str(failure), status=1).stdout
    shell.run("record", "-m", module, "2", status=0)
    assert "shop/cart.py" in shell.run("predict", f"{module}.recording", status=1).stdout
    assert "verified" in shell.run("check", "-m", module, "--", "1", status=0).stdout


@pytest.mark.parametrize(
    ("program", "hint"),
    [
        (ARGUMENTS, "the program exits with 2; its arguments follow --"),
        ("import sys\nif len(sys.argv) < 2:\n    sys.exit('usage: program.py N')\n", "its arguments follow --"),
        ("import sys\nnumber = int(sys.argv[1])\n", "list index out of range; its arguments follow --"),
        ("import nonesuch\n", f"No module named 'nonesuch'; is it installed for {sys.executable}"),
        ("from threading import nonesuch\n", "is it installed"),
    ],
)
@pytest.mark.parametrize("command", ["check", "record"])
def test_a_wrong_call_is_no_failure(shell, command, program, hint):
    shell.write("program.py", program)
    done = shell.run(command, "program.py", status=2)
    assert "program.py: it ends before it starts a thread: " in done.stderr
    assert hint in done.stderr
    assert not (shell.folder / "program.recording").exists()
    assert not list(shell.folder.glob(".mazurka/failures/*"))


@pytest.mark.parametrize("command", ["check", "record"])
def test_a_file_of_a_package_is_to_be_run_as_a_module(shell, command):
    write(shell)
    assert "as `python -m` does" in shell.run(command, "--help", status=0).stdout
    assert "finds it: -m shop\n" in shell.run(command, "shop/__main__.py", status=2).stderr
    assert "finds it: -m shop.other\n" in shell.run(command, "shop/other.py", status=2).stderr
    assert "there is no module shop.none to run" in shell.run(command, "-m", "shop.none", status=2).stderr


def test_other_ends_without_threads_are_failures(shell):
    for program in ("assert 1 == 2\n", "import sys\nsys.exit(3)\n", "raise OSError\n", "[][0]\n"):
        shell.write("program.py", program)
        shell.run("check", "program.py", "--fresh", status=1)


def test_a_package_of_an_included_module_is_imported_by_the_program(shell):
    library = shell.folder.parent / f"{shell.folder.name}_library"
    (library / "pkg").mkdir(parents=True)
    (library / "pkg" / "__init__.py").write_text("import sys\nassert sys.argv[0].endswith('program.py'), sys.argv\n")
    (library / "pkg" / "work.py").write_text("n = 0\ndef add():\n    global n\n    m = n\n    n = m + 1\n")
    program = "import threading\nfrom pkg.work import add\n"
    program += "threads = [threading.Thread(target=add) for _ in range(2)]\n"
    program += "for each in threads: each.start()\nfor each in threads: each.join()\n"
    shell.write("program.py", program)
    shell.environment["PYTHONPATH"] = str(library)
    shell.run("record", "program.py", "--include", "pkg.work", status=0)
    assert "work.py:5" in shell.run("predict", "program.recording", status=1).stdout
    assert "verified" in shell.run("check", "program.py", "--include", "pkg.work", status=0).stdout


def test_a_test_is_run_with_the_settings_of_pytest(shell):
    shell.write("pyproject.toml", "[tool.pytest.ini_options]\npythonpath = ['src']\n")
    shell.write("src/shop/__init__.py", CART)
    test = "import threading\nfrom shop import Cart\n\ndef test_cart():\n    cart = Cart()\n"
    test += "    threads = [threading.Thread(target=cart.add, args=('tea',)) for _ in range(2)]\n"
    test += "    for each in threads: each.start()\n    for each in threads: each.join()\n"
    shell.write("tests/test_cart.py", test + "    assert cart.items == {'tea': 2}\n")
    found = shell.run("check", "tests/test_cart.py::test_cart", status=1).stdout
    assert "Check-then-act" in found
    assert "AssertionError: assert {'tea': 1} == {'tea': 2}" in found
