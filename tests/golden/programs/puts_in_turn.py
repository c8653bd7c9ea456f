"""Two producers put a message each; the reader takes it for granted that the first one comes first."""

import queue
import threading

messages = queue.Queue()


def send(message):
    messages.put(message)


def main():
    senders = [threading.Thread(target=send, args=(message,)) for message in ("header", "body")]
    for sender in senders:
        sender.start()
    for sender in senders:
        sender.join()
    first, second = messages.get(), messages.get()
    assert (first, second) == ("header", "body"), f"{first} comes first"


main()
