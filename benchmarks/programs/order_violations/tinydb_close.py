"""A document is inserted while the database is closed."""

# package: tinydb
# include: tinydb
# shows: TextIOWrapper.write(), which then raises ValueError
# comes of it: the insertion fails, after the file has been read and before it has been written
# reference: none

import tempfile
import threading
import time

from tinydb import TinyDB


def main():
    with tempfile.TemporaryDirectory() as folder:
        database = TinyDB(f"{folder}/data.json")
        thread = threading.Thread(target=database.insert, args=({"x": 1},))
        thread.start()
        time.sleep(0.1)
        database.close()
        thread.join()


main()
