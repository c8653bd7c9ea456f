"""A thread looks for the adapter of a session that is responsible, as each request does; another one mounts one."""

# package: requests
# include: requests
# property: unsafe-view-iteration
# in: requests/sessions.py
# fails with: RuntimeError: OrderedDict mutated during iteration

import threading

import requests
from requests.adapters import HTTPAdapter


def main():
    session = requests.Session()
    threads = [
        threading.Thread(target=session.get_adapter, args=("http://example.org/",)),
        threading.Thread(target=session.mount, args=("https://api.example.org/", HTTPAdapter())),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


main()
