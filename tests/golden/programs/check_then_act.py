"""Two customers see the last seat."""

import threading

seats = 1
sold = []


def book(customer):
    global seats
    if seats > 0:
        seats = seats - 1
        sold.append(customer)
        print(f"sold to {customer}")


threads = [threading.Thread(target=book, args=(customer,)) for customer in ("anna", "bert")]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert len(sold) <= 1, f"{len(sold)} sold"
