"""`typing.get_type_hints` goes through the annotations of a class in a loop: a change may come in between."""

import threading
import typing


class Record:
    first: int = 1
    second: str = "x"


errors = []


def look():
    try:
        typing.get_type_hints(Record)
    except RuntimeError as error:
        errors.append(error)


def add():
    Record.__annotations__["third"] = int


threads = [threading.Thread(target=each) for each in (look, add)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert not errors
