# verdict: pass, exit 0: each case leaves a child behind, in a session of its own, on our pipes.
import os
import time

import base


def spoil(request, _reply, _say):
    if request["op"] not in ("close", "port"):
        return
    child = os.fork()
    if child == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(600)
        os._exit(0)
    os.waitpid(child, 0)


base.run(spoil)
