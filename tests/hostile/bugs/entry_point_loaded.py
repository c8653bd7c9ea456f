"""An entry point looks a variable of a module up by the names in a text, while another thread gives it other values."""

import string
import threading
from importlib.metadata import EntryPoint

entry = EntryPoint("blanks", "string:whitespace", "texts")
before = string.whitespace
seen = []


def look():
    seen.append((entry.load(), entry.load()))


def change():
    string.whitespace = " "
    string.whitespace = before


threads = [threading.Thread(target=each) for each in (look, change)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen == [(before, before)]
