# verdict: pass, exit 0: one reply takes four seconds; five are allowed.
import time

import base

slept = False


def spoil(request, _reply, _say):
    global slept
    if request["op"] in ("open", "port") and not slept:
        slept = True
        time.sleep(4)


base.run(spoil)
