"""A reply that is lost if the server looks before it was asked: each client polls for it in another way, for ever."""

import queue
import threading
import time

asked = []
replies = queue.Queue()
changed = threading.Condition()
way = {"go": False}


def server():
    if asked:
        with changed:
            way["go"] = True
            changed.notify_all()
        for _ in range(3):
            replies.put("yes")


def by_sleeping():
    asked.append(1)
    while not way["go"]:
        time.sleep(0.01)


def by_waiting():
    with changed:
        while not changed.wait_for(lambda: way["go"], timeout=0.1):
            pass


def by_getting():
    while True:
        try:
            replies.get(timeout=0.1)
            break
        except queue.Empty:
            continue


def by_looking():
    while replies.empty():
        time.sleep(0.01)


threads = [threading.Thread(target=each) for each in (server, by_sleeping, by_waiting, by_getting, by_looking)]
for each in threads:
    each.start()
for each in threads:
    each.join()
