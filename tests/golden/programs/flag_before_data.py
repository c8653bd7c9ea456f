"""A flag says that the configuration is there before it is."""

import threading


class Service:
    ready = False

    def load(self):
        self.ready = True
        self.settings = {"port": 80}

    def port(self):
        return self.settings["port"] if self.ready else None


service = Service()
threads = [threading.Thread(target=service.load), threading.Thread(target=service.port)]
for each in threads:
    each.start()
for each in threads:
    each.join()
