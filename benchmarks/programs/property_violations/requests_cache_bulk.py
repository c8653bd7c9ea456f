"""A thread reads a saved response, while another one saves several at once."""

# package: requests-cache
# include: requests_cache
# property: sqlite-across-threads
# in: requests_cache/backends/storage/dbdict.py
# fails with: ProgrammingError: SQLite objects created in a thread can only be used in that same thread
# found by: check
# release: requests-cache==0.5.2

import os
import tempfile
import threading

from requests_cache.backends.storage.dbdict import DbDict

pages = DbDict(os.path.join(tempfile.mkdtemp(), "cache.sqlite"), "pages")
pages["/"] = "home"


def read():
    assert pages["/"] == "home"


def save():
    with pages.bulk_commit():
        for number in range(3):
            pages[f"/{number}"] = "page"


threads = [threading.Thread(target=each) for each in (read, save)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
