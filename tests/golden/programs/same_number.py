"""Two messages get the same number. After a report about clients of MQTT."""

import threading


class Client:
    def __init__(self):
        self.last = 0
        self.sent = {}

    def publish(self, text):
        self.last += 1
        self.sent[self.last] = text


client = Client()

threads = [threading.Thread(target=client.publish, args=(text,)) for text in ("on", "off")]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert sorted(client.sent.values()) == ["off", "on"], client.sent
