"""A thread builds a URL, for which the rules are sorted if some are new, while another thread adds one."""

# package: Werkzeug
# include: werkzeug.routing
# property: unsafe-view-iteration
# in: werkzeug/routing/map.py
# fails with: RuntimeError: dictionary changed size during iteration

import threading

from werkzeug.routing import Map, Rule


def main():
    rules = Map([Rule("/", endpoint="index"), Rule("/about", endpoint="about")])
    threads = [
        threading.Thread(target=rules.bind("example.org").build, args=("index",)),
        threading.Thread(target=rules.add, args=(Rule("/new", endpoint="new"),)),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


main()
