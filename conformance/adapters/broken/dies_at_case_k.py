# verdict: crash, exit 1: each third case of a process is its last; the other cases pass.
import os

import base

cases = 0


def spoil(request, _reply, _say):
    global cases
    cases += request["op"] in ("open", "port")
    if cases == 3:
        os._exit(3)


base.run(spoil)
