"""Two threads add to the list of a key, which each makes if it is missing."""

import threading

by_topic = {}


def subscribe(topic, name):
    if topic not in by_topic:
        by_topic[topic] = []
    by_topic[topic].append(name)


threads = [threading.Thread(target=subscribe, args=("news", name)) for name in ("ann", "bob")]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert sorted(by_topic["news"]) == ["ann", "bob"], by_topic
