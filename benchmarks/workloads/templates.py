"""Four threads render one template of Jinja2; prints the seconds of processor time before and after."""

import threading
import time

import jinja2

TEXT = """{% for item in items %}{{ item.name|upper }}: {{ item.value * 2 }}{% if loop.index is odd %}!{% endif %}
{% endfor %}"""


class Item:
    def __init__(self, number):
        self.name = f"item {number}"
        self.value = number


template = jinja2.Environment().from_string(TEXT)
items = [Item(number) for number in range(200)]
lengths = []


def work():
    for _ in range(40):
        lengths.append(len(template.render(items=items)))


before = time.process_time()
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(before, time.process_time())
