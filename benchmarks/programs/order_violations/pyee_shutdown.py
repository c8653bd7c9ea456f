"""An event is emitted while the emitter is shut down."""

# package: pyee
# include: pyee
# shows: ThreadPoolExecutor.submit('abs'), which then raises RuntimeError
# comes of it: emit raises "cannot schedule new futures after shutdown"
# reference: none

import threading
import time

from pyee.executor import ExecutorEventEmitter


def main():
    emitter = ExecutorEventEmitter()
    emitter.on("data", abs)
    thread = threading.Thread(target=emitter.emit, args=("data", 1))
    thread.start()
    time.sleep(0.1)
    emitter.shutdown()
    thread.join()


main()
