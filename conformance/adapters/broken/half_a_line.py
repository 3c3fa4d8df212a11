# verdict: crash, exit 1: it dies in the middle of a reply.
import os

import base


def spoil(request, reply, say):
    if request["op"] in ("open", "port"):
        line = base.encode(reply)
        say(line[:len(line) // 2])
        os._exit(0)


base.run(spoil)
