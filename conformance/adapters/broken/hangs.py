# verdict: timeout, exit 1: it never answers a case, ignores SIGTERM and the end of its input.
import signal
import time

import base

signal.signal(signal.SIGTERM, signal.SIG_IGN)


def spoil(request, _reply, _say):
    while request["op"] in ("open", "port"):
        time.sleep(60)


base.run(spoil)
