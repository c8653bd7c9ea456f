"""A letter is delivered once; the reader looks and waits under the same lock."""

import threading


class Mailbox:
    def __init__(self):
        self.letter = None
        self.arrived = threading.Condition()

    def deliver(self, letter):
        with self.arrived:
            self.letter = letter
            self.arrived.notify()

    def take(self):
        with self.arrived:
            while self.letter is None:
                self.arrived.wait()
            return self.letter


def main():
    mailbox = Mailbox()
    reader = threading.Thread(target=mailbox.take)
    reader.start()
    mailbox.deliver("hello")
    reader.join()


if __name__ == "__main__":
    main()
