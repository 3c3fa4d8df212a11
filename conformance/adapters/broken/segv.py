# verdict: crash, exit 1: a case makes it die of SIGSEGV.
import os
import signal

import base


def spoil(request, _reply, _say):
    if request["op"] in ("open", "port"):
        os.kill(os.getpid(), signal.SIGSEGV)


base.run(spoil)
