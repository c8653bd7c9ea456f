"""Two threads let go of one object by different variables: the one that does so last runs its finaliser."""

import threading


class Counted:
    def __del__(self):
        ended.append(threading.current_thread() is threading.main_thread())


def main():
    thing = Counted()
    one, two = [thing], [thing]
    del thing
    thread = threading.Thread(target=one.clear)
    thread.start()
    two.clear()
    thread.join()


ended = []
main()
assert ended == [True]
