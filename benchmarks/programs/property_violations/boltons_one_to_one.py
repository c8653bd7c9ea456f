"""A thread assigns an item of a mapping that has an inverse, while another one clears the mapping."""

# package: boltons
# include: boltons
# property: check-then-act
# in: boltons/dictutils.py
# fails with: KeyError

import threading

from boltons.dictutils import OneToOne


def main():
    names = OneToOne({"ada": 1})
    threads = [threading.Thread(target=names.__setitem__, args=("ada", 2)), threading.Thread(target=names.clear)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


main()
