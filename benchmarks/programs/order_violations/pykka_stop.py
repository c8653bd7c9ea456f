"""A thread asks an actor that is stopped."""

# package: pykka
# include: pykka
# shows: Queue.put(Envelope) before
# comes of it: the question comes after the request to stop; once the actor has emptied its inbox there is no answer
# reference: none

import threading
import time

import pykka


class Adder(pykka.ThreadingActor):
    def on_receive(self, message):
        return message + 1


def main():
    adder = Adder.start()

    def ask():
        assert adder.ask(1) == 2

    thread = threading.Thread(target=ask)
    thread.start()
    time.sleep(0.1)
    adder.stop()
    thread.join()


main()
