"""A thread asks for the triggers of a state, while another one adds a transition."""

# package: transitions
# include: transitions
# property: unsafe-view-iteration
# in: transitions/core.py
# fails with: RuntimeError

import threading

from transitions import Machine


def main():
    machine = Machine(states=["idle", "busy"], initial="idle", auto_transitions=False)
    machine.add_transition("begin", "idle", "busy")
    machine.add_transition("end", "busy", "idle")
    threads = [
        threading.Thread(target=machine.get_triggers, args=("idle",)),
        threading.Thread(target=machine.add_transition, args=("stop", "busy", "idle")),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


main()
