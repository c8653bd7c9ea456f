"""Two threads queue messages of a client that is not connected."""

# package: paho-mqtt
# include: paho
# expect: correct

import paho.mqtt.client as mqtt
from together import run


def test():
    client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id="c")
    numbers = []

    def use():
        numbers.append(client.publish("topic", "text", qos=1).mid)

    run(use, use)
    assert len(set(numbers)) == 2
