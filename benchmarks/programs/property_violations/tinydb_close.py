"""A thread reads a database, while another one closes it."""

# package: tinydb
# include: tinydb
# property: use-after-close
# in: tinydb/storages.py
# fails with: ValueError
# found by: check

import os
import tempfile
import threading

from tinydb import TinyDB

database = TinyDB(os.path.join(tempfile.mkdtemp(), "db.json"))
threads = [threading.Thread(target=database.all), threading.Thread(target=database.close)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
