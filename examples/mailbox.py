"""A letter is delivered once; a reader that looks before and waits after the delivery is never woken."""

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
        if self.letter is None:
            with self.arrived:
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
