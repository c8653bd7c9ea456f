"""Two daemon workers take two locks in opposite orders; the main thread waits for both to be done."""

import threading

accounts, journal = threading.Lock(), threading.Lock()


def work(first, second, done):
    with first:
        moved.append(1)
        with second:
            moved.append(2)
    done.set()


moved = []
done = [threading.Event(), threading.Event()]
threading.Thread(target=work, args=(accounts, journal, done[0]), daemon=True).start()
threading.Thread(target=work, args=(journal, accounts, done[1]), daemon=True).start()
for each in done:
    each.wait()
